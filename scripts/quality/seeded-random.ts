/** Random choices that a seed repeats. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** @throws Error for an empty list. */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.whole(0, items.length - 1)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** Decimal digits; the first one is not zero unless that is allowed. */
  digits(count: number, mayBeginWithZero = true): string {
    let text = '';
    for (let at = 0; at < count; at += 1) text += this.whole(at === 0 && !mayBeginWithZero ? 1 : 0, 9);
    return text;
  }

  /** Characters of an alphabet. */
  letters(count: number, alphabet = 'abcdefghijklmnopqrstuvwxyz'): string {
    return Array.from({ length: count }, () => alphabet.charAt(this.whole(0, alphabet.length - 1))).join('');
  }
}
