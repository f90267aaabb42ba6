/** The array grows in steps, so that slowly spreading values do not copy the counts each time. */
const step = 16;

/** Counts of values by bin; stores only the range of bins in use. */
export class BinCounts {
  #first = 0;
  #counts = new Uint32Array(0);
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(bin: number, count = 1): void {
    if (bin < this.#first || bin >= this.#first + this.#counts.length) this.#makeRoom(bin);
    const index = bin - this.#first;
    this.#counts[index] = (this.#counts[index] ?? 0) + count;
    this.#total += count;
  }

  remove(bin: number, count = 1): void {
    const index = bin - this.#first;
    this.#counts[index] = (this.#counts[index] ?? 0) - count;
    this.#total -= count;
  }

  /** Calls back for each non-empty bin. */
  forEach(onBin: (bin: number, count: number) => void): void {
    for (const [index, count] of this.#counts.entries()) if (count > 0) onBin(this.#first + index, count);
  }

  /** For each of the ascending `ranks`, which start at one, the bin of the value with that rank. */
  binsAt(ranks: readonly number[]): number[] {
    const bins: number[] = [];
    let seen = 0;
    for (let index = 0; index < this.#counts.length && bins.length < ranks.length; index += 1) {
      seen += this.#counts[index] ?? 0;
      while (seen >= (ranks[bins.length] ?? Number.POSITIVE_INFINITY)) bins.push(this.#first + index);
    }
    return bins;
  }

  clear(): void {
    this.#counts = new Uint32Array(0);
    this.#total = 0;
  }

  #makeRoom(bin: number): void {
    const low = bin - (bin % step);
    const first = this.#counts.length === 0 ? low : Math.min(this.#first, low);
    const end = Math.max(this.#first + this.#counts.length, low + step);
    const wider = new Uint32Array(end - first);
    if (this.#counts.length > 0) wider.set(this.#counts, this.#first - first);
    this.#counts = wider;
    this.#first = first;
  }
}
