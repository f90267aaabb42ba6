import { type NanoUsd, zeroUsd } from '../core/money.ts';
import { type CurrentWindows, type DayRange, utcDay, windowsAt } from '../core/utc-windows.ts';
import type { SpendWindows } from '../ports/keys.ts';
import { RisingTotal } from './rising-total.ts';

/**
 * What a key spent in the UTC windows of the moment: read from the books now and then, and grown by each charge
 * booked in this process. A window that begins anew begins at zero without asking the books.
 */
export class SpendTally {
  #windows: CurrentWindows;
  readonly #total = new RisingTotal();
  #daily = new RisingTotal();
  #weekly = new RisingTotal();
  #monthly = new RisingTotal();

  /** @param now Unix milliseconds. */
  constructor(now: number) {
    this.#windows = windowsAt(now);
  }

  /** The sums of the windows that hold `now`. */
  at(now: number): SpendWindows {
    this.#roll(utcDay(now), now);
    return {
      total: this.#total.value,
      daily: this.#daily.value,
      weekly: this.#weekly.value,
      monthly: this.#monthly.value,
    };
  }

  /** Adds a charge settled at `moment` (Unix milliseconds) to the windows it belongs to. */
  add(charge: NanoUsd, moment: number): void {
    if (charge === zeroUsd) return;
    const day = utcDay(moment);
    if (day >= this.#windows.day.end) this.#roll(day, moment);
    const { day: today, week, month } = this.#windows;
    this.#total.add(charge);
    if (holds(today, day)) this.#daily.add(charge);
    if (holds(week, day)) this.#weekly.add(charge);
    if (holds(month, day)) this.#monthly.add(charge);
  }

  /**
   * Takes in what the books said of the windows that held `moment`.
   * @param unseen Charges on their way when the books answered: they may be in it or not.
   * @param quiet Whether nothing was on its way since the books were asked.
   */
  read(books: SpendWindows, moment: number, unseen: bigint, quiet: boolean): void {
    this.#total.read(books.total, unseen, quiet);
    // Another day began since: its windows are read next time.
    if (!holds(this.#windows.day, utcDay(moment))) return;
    this.#daily.read(books.daily, unseen, quiet);
    this.#weekly.read(books.weekly, unseen, quiet);
    this.#monthly.read(books.monthly, unseen, quiet);
  }

  #roll(day: number, moment: number): void {
    const before = this.#windows;
    if (holds(before.day, day)) return;
    this.#windows = windowsAt(moment);
    this.#daily = new RisingTotal();
    if (this.#windows.week.first !== before.week.first) this.#weekly = new RisingTotal();
    if (this.#windows.month.first !== before.month.first) this.#monthly = new RisingTotal();
  }
}

function holds(range: DayRange, day: number): boolean {
  return day >= range.first && day < range.end;
}
