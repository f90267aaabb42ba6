import { BinCounts } from './bin-counts.ts';
import { binOf, valueOfBin } from './bins.ts';
import { RollingSlots } from './rolling-slots.ts';
import { SlotValues } from './slot-values.ts';

/** Percentiles of positive values over a sliding window, within 1.5 % of the exact ones. */
export class RollingPercentiles {
  readonly #slots: RollingSlots;
  readonly #values: readonly SlotValues[];
  /** All values in the window. */
  readonly #sum = new BinCounts();
  readonly #expire: (place: number) => void;

  /** @param length of the window in milliseconds. */
  constructor(length: number, slotCount: number, now: number) {
    this.#slots = new RollingSlots(length, slotCount, now);
    this.#values = Array.from({ length: slotCount }, () => new SlotValues());
    this.#expire = (place) => this.#values[place]?.takeOutOf(this.#sum);
  }

  add(value: number, now: number): void {
    this.#slots.advance(now, this.#expire);
    const bin = binOf(value);
    this.#values[this.#slots.place]?.add(bin);
    this.#sum.add(bin);
  }

  count(now: number): number {
    this.#slots.advance(now, this.#expire);
    // Frees a range that was once wide.
    if (this.#sum.total === 0) this.#sum.clear();
    return this.#sum.total;
  }

  /**
   * For each of the ascending `percents`, the value that so many percent do not exceed; undefined without values.
   */
  percentiles(percents: readonly number[], now: number): number[] | undefined {
    const count = this.count(now);
    if (count === 0) return undefined;
    const ranks = percents.map((percent) => Math.max(1, Math.ceil((percent / 100) * count)));
    return this.#sum.binsAt(ranks).map(valueOfBin);
  }
}
