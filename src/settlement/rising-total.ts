import type { NanoUsd } from '../core/money.ts';

/**
 * A sum of charges that this process adds to and reads from the books now and then. A reading that overlaps
 * charges on their way cannot tell which of them it holds; but the sum only ever grows, so what the books say
 * less all that may be double is never too much, and what was added here is never too much either: the larger of
 * the two is right when this process alone books charges, and catches up with others at the next quiet moment.
 */
export class RisingTotal {
  #value = 0n;

  get value(): NanoUsd {
    return this.#value as NanoUsd;
  }

  /** Adds a charge that is in the books now. */
  add(charge: bigint): void {
    this.#value += charge;
  }

  /**
   * Takes in what the books said.
   * @param unseen The charges on their way when the books answered.
   * @param quiet Whether nothing was on its way, or arrived, since they were asked: then they are right as they are.
   */
  read(books: bigint, unseen: bigint, quiet: boolean): void {
    if (quiet || books - unseen > this.#value) this.#value = books - (quiet ? 0n : unseen);
  }
}
