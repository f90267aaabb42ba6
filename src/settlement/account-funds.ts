import { type NanoUsd, zeroUsd } from '../core/money.ts';
import type { Balance } from '../ports/ledger.ts';
import { MonotonicTotal } from './monotonic-total.ts';

/** An account's money: as the books had it a moment ago, with every charge booked in this process since. */
export class AccountFunds implements Balance {
  readonly #charges = new MonotonicTotal();
  /** Charges on their way into the books. */
  #onTheirWay = 0n;
  #entries = 0n;
  #purchased: NanoUsd = zeroUsd;
  #answered = 0;

  get balance(): NanoUsd {
    return (this.#entries - this.#charges.value) as NanoUsd;
  }

  get purchasedTotal(): NanoUsd {
    return this.#purchased;
  }

  get spentTotal(): NanoUsd {
    return this.#charges.value;
  }

  /** Notes a charge about to be booked. */
  begin(charge: NanoUsd): void {
    this.#onTheirWay += charge;
  }

  /** Counts a charge noted before as it was booked, if it was. */
  end(noted: NanoUsd, booked: NanoUsd | undefined): void {
    this.#onTheirWay -= noted;
    if (booked !== undefined) this.#charges.add(booked);
  }

  /**
   * Takes in what the books said, unless they have said something later since.
   * @param asked Grows with each time they are asked.
   */
  read(books: Balance, asked: number): void {
    if (asked < this.#answered) return;
    this.#answered = asked;
    this.#entries = books.balance + books.spentTotal;
    this.#purchased = books.purchasedTotal;
    this.#charges.read(books.spentTotal, this.#onTheirWay);
  }
}
