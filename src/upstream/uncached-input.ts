/**
 * Input tokens that were neither read from a cache nor written to one. The dialects count cached tokens within the
 * input; where there are more of them than of the whole input, they were counted beside it, as some models are.
 */
export function uncachedInput(input: number | undefined, cached: number): number | undefined {
  if (input === undefined) return undefined;
  return cached > input ? input : input - cached;
}
