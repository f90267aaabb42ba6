/**
 * The clockwork of a sliding window: time cut into slots, of which the last `count` make up the window. The slot of
 * this moment is part of it, so a window reaches back between `count - 1` and `count` slots.
 */
export class RollingSlots {
  readonly count: number;
  readonly #slotLength: number;
  /** The slot now written to, counted from the clock's beginning. */
  #current: number;

  /** @param length of the window in milliseconds. */
  constructor(length: number, count: number, now: number) {
    this.count = count;
    this.#slotLength = length / count;
    this.#current = Math.floor(now / this.#slotLength);
  }

  /** Where in a ring of `count` places the slot of this moment is. */
  get place(): number {
    return this.#current % this.count;
  }

  /** Moves on to `now`, telling the place of each slot that has left the window. A clock set back changes nothing. */
  advance(now: number, onExpired: (place: number) => void): void {
    const slot = Math.floor(now / this.#slotLength);
    if (slot <= this.#current) return;
    const expired = Math.min(slot - this.#current, this.count);
    for (let step = 0; step < expired; step += 1) onExpired((slot - step) % this.count);
    this.#current = slot;
  }
}
