/** Seconds that count: the current one, which is not over, and 60 before it. */
const seconds = 61;

/** A count over the last minute, in whole seconds. */
export class RollingMinute {
  readonly #counts = new Float64Array(seconds);
  #latest = 0;
  #total = 0;

  /** Everything counted in the minute that ends with this second. */
  total(second: number): number {
    this.#moveTo(second);
    return this.#total;
  }

  /**
   * Adds to a second, or takes away. A second outside the minute is no longer counted; nothing falls below zero.
   * @param now The current second.
   */
  add(second: number, amount: number, now: number): void {
    this.#moveTo(now);
    if (second <= this.#latest - seconds) return;
    const place = Math.min(second, this.#latest) % seconds;
    const before = this.#counts[place] ?? 0;
    const after = Math.max(0, before + amount);
    this.#counts[place] = after;
    this.#total += after - before;
  }

  /**
   * The first second in which `amount` more fits below `limit`.
   * Undefined when it never does, because it exceeds the limit by itself.
   */
  fitsAt(amount: number, limit: number, now: number): number | undefined {
    if (amount > limit) return undefined;
    this.#moveTo(now);
    let rest = this.#total;
    for (let second = this.#latest - seconds + 1; second <= this.#latest; second += 1) {
      if (rest + amount <= limit) return Math.max(now, second + seconds - 1);
      rest -= this.#counts[second % seconds] ?? 0;
    }
    return this.#latest + seconds;
  }

  /** A clock that goes back leaves the counts in place. */
  #moveTo(second: number): void {
    if (second <= this.#latest) return;
    const passed = Math.min(second - this.#latest, seconds);
    for (let gone = 1; gone <= passed; gone += 1) {
      const place = (this.#latest + gone) % seconds;
      this.#total -= this.#counts[place] ?? 0;
      this.#counts[place] = 0;
    }
    this.#latest = second;
  }
}
