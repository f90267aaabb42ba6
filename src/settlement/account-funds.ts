import { type NanoUsd, zeroUsd } from '../core/money.ts';
import type { Balance } from '../ports/ledger.ts';
import { ChargesInTransit, type TransitMark } from './charges-in-transit.ts';
import { RisingTotal } from './rising-total.ts';

/** An account's money: as the books had it a moment ago, with every charge booked in this process since. */
export class AccountFunds implements Balance {
  readonly #charges = new RisingTotal();
  readonly #transit = new ChargesInTransit();
  #entries = 0n;
  #purchased: NanoUsd = zeroUsd;

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
    this.#transit.begin(charge);
  }

  /** Counts a charge noted before, if it was booked. */
  end(charge: NanoUsd, booked: boolean): void {
    this.#transit.end(charge);
    if (booked) this.#charges.add(charge);
  }

  /** Taken before the books are read. */
  mark(): TransitMark {
    return this.#transit.mark();
  }

  /** Takes in what the books said when they were asked after `mark`. */
  read(books: Balance, mark: TransitMark): void {
    this.#entries = books.balance + books.spentTotal;
    this.#purchased = books.purchasedTotal;
    this.#charges.read(books.spentTotal, this.#transit.amount, this.#transit.quietSince(mark));
  }
}
