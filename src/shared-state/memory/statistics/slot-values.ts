import { BinCounts } from './bin-counts.ts';

/** Up to here a list of bins is smaller than counts of all bins between them. */
const longestList = 64;

/** What fell into one slot of a window: a list of bins while they are few, counts when they are many. */
export class SlotValues {
  #list: number[] | undefined;
  #counts: BinCounts | undefined;

  add(bin: number): void {
    if (this.#counts !== undefined) {
      this.#counts.add(bin);
      return;
    }
    this.#list ??= [];
    this.#list.push(bin);
    if (this.#list.length > longestList) this.#startCounting(this.#list);
  }

  /** Takes everything out of `sum`, where it was added too, and is empty then. */
  takeOutOf(sum: BinCounts): void {
    for (const bin of this.#list ?? []) sum.remove(bin);
    this.#counts?.forEach((bin, count) => {
      sum.remove(bin, count);
    });
    this.#list = undefined;
    this.#counts = undefined;
  }

  #startCounting(list: readonly number[]): void {
    this.#counts = new BinCounts();
    for (const bin of list) this.#counts.add(bin);
    this.#list = undefined;
  }
}
