import { type NanoUsd, zeroUsd } from '../core/money.ts';
import type { Balance } from '../ports/ledger.ts';
import { ChargesInTransit, type TransitMark } from './charges-in-transit.ts';
import { RisingTotal } from './rising-total.ts';

/** When the books were asked, for `AccountFunds.read`. */
export interface FundsMark {
  readonly charges: TransitMark;
  readonly order: number;
}

/** An account's money: as the books had it a moment ago, with every charge booked in this process since. */
export class AccountFunds implements Balance {
  readonly #charges = new RisingTotal();
  readonly #transit = new ChargesInTransit();
  #entries = 0n;
  #purchased: NanoUsd = zeroUsd;
  #asked = 0;
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
    this.#transit.begin(charge);
  }

  /** Counts a charge noted before, if it was booked. */
  end(charge: NanoUsd, booked: boolean): void {
    this.#transit.end(charge);
    if (booked) this.#charges.add(charge);
  }

  /** Taken before the books are read. */
  mark(): FundsMark {
    this.#asked += 1;
    return { charges: this.#transit.mark(), order: this.#asked };
  }

  /** Takes in what the books said when they were asked after `mark`, unless a later answer is known. */
  read(books: Balance, mark: FundsMark): void {
    if (mark.order < this.#answered) return;
    this.#answered = mark.order;
    this.#entries = books.balance + books.spentTotal;
    this.#purchased = books.purchasedTotal;
    this.#charges.read(books.spentTotal, this.#transit.amount, this.#transit.quietSince(mark.charges));
  }
}
