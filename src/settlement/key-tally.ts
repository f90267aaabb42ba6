import {
  holds,
  type LimitWindows,
  type ResetInterval,
  resetIntervals,
  type SpendCalendar,
  sharedRange,
  type TimeRange,
} from '../core/limit-calendar.ts';
import { type NanoUsd, zeroUsd } from '../core/money.ts';
import type { Generation } from '../ports/generations.ts';
import type { KeySpend, SpendWindows } from '../ports/keys.ts';
import type { Balance } from '../ports/ledger.ts';
import { dayLength } from '../util/utc-windows.ts';

/** What a key spent: as the books had it a moment ago, with every charge booked in this process since. */
export class KeyTally {
  readonly #usage: SpendTally;
  readonly #byok: SpendTally;

  /** @param now Unix milliseconds. */
  constructor(calendar: SpendCalendar, now: number) {
    this.#usage = new SpendTally(calendar, now);
    this.#byok = new SpendTally(calendar, now);
  }

  /** In the windows that hold `now`. */
  at(now: number): KeySpend {
    return { usage: this.#usage.at(now), byokUsage: this.#byok.at(now) };
  }

  /** Notes a charge about to be booked. */
  begin(generation: Generation): void {
    this.#usage.begin(generation.cost);
    this.#byok.begin(byokCost(generation));
  }

  /** Counts a charge noted before as it was booked, if it was. */
  end(noted: Generation, booked: Generation | undefined): void {
    this.#usage.end(noted.cost, booked?.cost, noted.settledAt);
    this.#byok.end(byokCost(noted), booked && byokCost(booked), noted.settledAt);
  }

  /** Takes in what the books said of the windows that held `moment` (Unix milliseconds). */
  read(books: KeySpend, moment: number): void {
    this.#usage.read(books.usage, moment);
    this.#byok.read(books.byokUsage, moment);
  }
}

function byokCost({ isByok, listCost }: Generation): NanoUsd {
  return isByok ? listCost : zeroUsd;
}

/**
 * What a key spent in the windows of the moment: read from the books now and then, and grown by each charge
 * booked in this process. A window that begins anew begins at zero without asking the books.
 */
export class SpendTally {
  readonly #calendar: SpendCalendar;
  #windows: LimitWindows;
  /** The moments that lie in all of them. */
  #range: TimeRange;
  /** Charges on their way into the books. */
  #onTheirWay = 0n;
  readonly #total = new MonotonicTotal();
  readonly #sums: Record<ResetInterval, MonotonicTotal>;

  /** @param now Unix milliseconds. */
  constructor(calendar: SpendCalendar, now: number) {
    this.#calendar = calendar;
    this.#windows = calendar.windowsAt(now);
    this.#range = sharedRange(this.#windows);
    this.#sums = { daily: new MonotonicTotal(), weekly: new MonotonicTotal(), monthly: new MonotonicTotal() };
  }

  /** The sums of the windows that hold `now`. */
  at(now: number): SpendWindows {
    // A clock set back over midnight by a moment does not begin anything anew.
    if (now >= this.#range.end || now < this.#range.start - dayLength) this.#roll(now);
    const { daily, weekly, monthly } = this.#sums;
    return {
      total: this.#total.value,
      daily: daily.value,
      weekly: weekly.value,
      monthly: monthly.value,
    };
  }

  /** Notes a charge about to be booked. */
  begin(charge: NanoUsd): void {
    this.#onTheirWay += charge;
  }

  /** Adds a charge noted before as it was booked, if it was, to the windows that hold `moment` (Unix milliseconds). */
  end(noted: NanoUsd, charge: NanoUsd = zeroUsd, moment = 0): void {
    this.#onTheirWay -= noted;
    if (charge === zeroUsd) return;
    if (moment >= this.#range.end) this.#roll(moment);
    this.#total.add(charge);
    for (const interval of resetIntervals) {
      if (holds(this.#windows[interval], moment)) this.#sums[interval].add(charge);
    }
  }

  /** Takes in what the books said of the windows that held `moment` (Unix milliseconds). */
  read(books: SpendWindows, moment: number): void {
    this.#total.read(books.total, this.#onTheirWay);
    // A window may have begun since the last look.
    if (moment >= this.#range.end) this.#roll(moment);
    for (const interval of resetIntervals) {
      // Where another window began since `moment`, the books tell the sum of the old one: the next reading has the new one.
      if (holds(this.#windows[interval], moment))
        this.#sums[interval].read(books[interval], this.#onTheirWay);
    }
  }

  #roll(moment: number): void {
    const before = this.#windows;
    this.#windows = this.#calendar.windowsAt(moment);
    this.#range = sharedRange(this.#windows);
    for (const interval of resetIntervals) {
      if (this.#windows[interval].start !== before[interval].start)
        this.#sums[interval] = new MonotonicTotal();
    }
  }
}

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

/**
 * A sum of charges that this process adds to and reads from the books now and then. A reading that overlaps
 * charges on their way cannot tell which of them it holds. But the sum only ever grows: what the books say, less all
 * that may not have been added here yet, is never too much, and neither is what is known here. So the larger of
 * the two holds: exact where this process alone books charges, and with others at the next reading in a quiet moment.
 */
class MonotonicTotal {
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
