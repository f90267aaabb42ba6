import { BinCounts } from './bin-counts.ts';

/** Up to this length, a list of bins is smaller than counts for all bins in their range. */
const longestList = 64;

/** The values of one slot of a window: a list of bins while they are few, counts when they are many. */
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

  /** Subtracts all values from `sum`, to which they were added too, and empties the slot. */
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
