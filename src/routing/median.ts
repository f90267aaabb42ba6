/** Converts a median absolute deviation into a standard deviation of normally distributed values. */
const deviationOfMedian = 1.4826;

/** The middle value, or the mean of the two middle ones; 0 without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? 0)) / 2;
}

/** A standard deviation that is robust against outliers (docs/spec/routing.md#quality-order). */
export function deviationAround(middle: number, values: readonly number[]): number {
  return deviationOfMedian * median(values.map((value) => Math.abs(value - middle)));
}
