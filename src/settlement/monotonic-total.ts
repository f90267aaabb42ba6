import type { NanoUsd } from '../core/money.ts';

/**
 * A sum of charges that this process adds to and reads from the books now and then. A reading that overlaps
 * charges on their way cannot tell which of them it holds. But the sum only ever grows: what the books say, less all
 * that may not have been added here yet, is never too much, and neither is what is known here. So the larger of
 * the two holds: exact where this process alone books charges, and with others at the next reading in a quiet moment.
 */
export class MonotonicTotal {
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
   * @param onTheirWay Charges sent to the books and not added here yet, when the books answered.
   */
  read(books: bigint, onTheirWay: bigint): void {
    if (books - onTheirWay > this.#value) this.#value = books - onTheirWay;
  }
}
