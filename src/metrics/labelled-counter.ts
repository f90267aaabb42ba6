/** One series of a counter: the values of its labels in their order, and how often it was counted. */
export interface CountedSeries {
  readonly labels: readonly string[];
  count: number;
}

/** A counter with labels, for what happens seldom enough that building a key does not matter. */
export class LabelledCounter {
  readonly #series = new Map<string, CountedSeries>();

  /** @param labels Values out of a known and small set: every combination is kept for good. */
  add(...labels: readonly string[]): void {
    const key = labels.join('\n');
    const series = this.#series.get(key);
    if (series === undefined) this.#series.set(key, { labels, count: 1 });
    else series.count += 1;
  }

  [Symbol.iterator](): IterableIterator<CountedSeries> {
    return this.#series.values();
  }
}
