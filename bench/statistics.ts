/** The middle value, or the mean of the two in the middle; NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}

/** The value that `share` (0 to 1) of all values do not exceed; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * An interval that holds the median of what `values` are drawn from with at least 90 % probability, whatever their
 * distribution: the narrowest pair of values that are equally far from both ends. undefined of fewer than five, which
 * cannot say so.
 */
export function medianInterval(values: readonly number[]): readonly [number, number] | undefined {
  const sorted = values.toSorted((left, right) => left - right);
  const count = sorted.length;
  // Chance that fewer than so many of all values fall below the median.
  let below = 0;
  let chance = 0.5 ** count;
  let from = -1;
  while (below + chance <= 0.05) {
    below += chance;
    from += 1;
    chance *= (count - from) / (from + 1);
  }
  const [low, high] = [sorted[from], sorted[count - 1 - from]];
  return low === undefined || high === undefined ? undefined : [low, high];
}
