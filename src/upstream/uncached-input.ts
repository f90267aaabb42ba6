/**
 * Input tokens that were neither read from a cache nor written to one. The dialects count cached tokens within the
 * input; where there are more of them than of the whole input, they were counted beside it, as some models are.
 */
export function uncachedInput(input: number | undefined, cached: number): number | undefined {
  if (input === undefined) return undefined;
  return cached > input ? input : input - cached;
}

/** A part of a count, which is no more than what there is of it; either may not be known. */
export function atMost(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined ? part : Math.min(part, whole);
}
