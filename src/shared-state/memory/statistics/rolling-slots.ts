/**
 * The slots of a sliding window: time is divided into slots, of which the last `count` form the window. The current
 * slot is part of it, so a window covers between `count - 1` and `count` slots.
 */
export class RollingSlots {
  readonly count: number;
  readonly #slotLength: number;
  /** The current slot, counted from the clock's zero. */
  #current: number;

  /** @param length of the window in milliseconds. */
  constructor(length: number, count: number, now: number) {
    this.count = count;
    this.#slotLength = length / count;
    this.#current = Math.floor(now / this.#slotLength);
  }

  /** The index of the current slot in a ring of `count` places. */
  get place(): number {
    return this.#current % this.count;
  }

  /**
   * Moves on to `now` and calls back with the index of each expired slot. A clock that goes back changes nothing.
   */
  advance(now: number, onExpired: (place: number) => void): void {
    const slot = Math.floor(now / this.#slotLength);
    if (slot <= this.#current) return;
    const expired = Math.min(slot - this.#current, this.count);
    for (let step = 0; step < expired; step += 1) onExpired((slot - step) % this.count);
    this.#current = slot;
  }
}
