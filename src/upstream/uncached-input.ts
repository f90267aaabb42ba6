/**
 * Input tokens that were neither read from a cache nor written to one. The dialects count cached tokens within the
 * input; if they exceed the input, they were counted beside it, as some models do.
 */
export function uncachedInput(input: number | undefined, cached: number): number | undefined {
  if (input === undefined) return undefined;
  return cached > input ? input : input - cached;
}

/** A part of a count, limited to the whole; either may be unknown. */
export function atMost(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined ? part : Math.min(part, whole);
}
