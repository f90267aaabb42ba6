/** A small generator of numbers that look random, the same ones for the same seed; enough for tests. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Ways to choose by such numbers. */
export interface Chooser {
  /** From 0 until below 1. */
  readonly number: () => number;
  /** A whole number from 0 until below `end`. */
  below(end: number): number;
  /** True in so many of one cases. */
  chance(share: number): boolean;
  one<Entry>(entries: readonly Entry[]): Entry;
  /** Some of them, each with the same chance, in their order. */
  some<Entry>(entries: readonly Entry[], share: number): Entry[];
}

/** Chooses by the numbers of a seed. */
export function chooserOf(seed: number): Chooser {
  const number = randomNumbers(seed);
  const below = (end: number) => Math.floor(number() * end);
  return {
    number,
    below,
    chance: (share) => number() < share,
    one: (entries) => {
      for (const chosen of entries.slice(below(entries.length))) return chosen;
      throw new RangeError('nothing to choose from');
    },
    some: (entries, share) => entries.filter(() => number() < share),
  };
}
