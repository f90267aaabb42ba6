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
import { dayLength } from '../util/utc-windows.ts';
import { MonotonicTotal } from './monotonic-total.ts';

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
