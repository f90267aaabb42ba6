/** One series of a counter: the values of its labels in order, and its count. */
export interface CountedSeries {
  readonly labels: readonly string[];
  count: number;
}

/** A counter with labels, for events so rare that the cost of a key does not matter. */
export class LabelledCounter {
  readonly #series = new Map<string, CountedSeries>();

  /** @param labels Values from a small known set: every combination is kept forever. */
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
