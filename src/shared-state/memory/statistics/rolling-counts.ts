import { RollingSlots } from './rolling-slots.ts';

/** Counts of a few kinds of events over a sliding window; adding and reading cost nanoseconds. */
export class RollingCounts {
  readonly #slots: RollingSlots;
  readonly #kinds: number;
  readonly #counts: Uint32Array;
  readonly #totals: Uint32Array;
  readonly #expire: (place: number) => void;

  /** @param length of the window in milliseconds. */
  constructor(length: number, slotCount: number, kinds: number, now: number) {
    this.#slots = new RollingSlots(length, slotCount, now);
    this.#kinds = kinds;
    this.#counts = new Uint32Array(slotCount * kinds);
    this.#totals = new Uint32Array(kinds);
    this.#expire = (place) => this.#clear(place);
  }

  add(kind: number, now: number): void {
    this.#slots.advance(now, this.#expire);
    this.#bump(this.#counts, this.#slots.place * this.#kinds + kind);
    this.#bump(this.#totals, kind);
  }

  /** The sums by kind, in an array that the next call reuses. */
  totals(now: number): Uint32Array {
    this.#slots.advance(now, this.#expire);
    return this.#totals;
  }

  #bump(counts: Uint32Array, index: number): void {
    counts[index] = (counts[index] ?? 0) + 1;
  }

  #clear(place: number): void {
    const start = place * this.#kinds;
    for (let kind = 0; kind < this.#kinds; kind += 1) {
      this.#totals[kind] = (this.#totals[kind] ?? 0) - (this.#counts[start + kind] ?? 0);
    }
    this.#counts.fill(0, start, start + this.#kinds);
  }
}
