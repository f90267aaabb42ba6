/** Counts values in buckets with fixed upper bounds, as Prometheus expects them. */
export class Histogram {
  /** Inclusive upper bounds, ascending. */
  readonly bounds: readonly number[];
  /** How many values fell into each bucket, not cumulative; the last bucket is above every bound. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}
