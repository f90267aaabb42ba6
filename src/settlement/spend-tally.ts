import { type NanoUsd, zeroUsd } from '../core/money.ts';
import type { SpendWindows } from '../ports/keys.ts';
import { type CurrentWindows, type DayRange, utcDay, windowsAt } from '../util/utc-windows.ts';
import { RisingTotal } from './rising-total.ts';

/**
 * What a key spent in the UTC windows of the moment: read from the books now and then, and grown by each charge
 * booked in this process. A window that begins anew begins at zero without asking the books.
 */
export class SpendTally {
  #windows: CurrentWindows;
  /** Charges on their way into the books. */
  #onTheirWay = 0n;
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
    const day = utcDay(now);
    // A clock set back over midnight by a moment does not begin anything anew.
    if (day !== this.#windows.day.first - 1) this.#roll(day, now);
    return {
      total: this.#total.value,
      daily: this.#daily.value,
      weekly: this.#weekly.value,
      monthly: this.#monthly.value,
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
    const day = utcDay(moment);
    if (day >= this.#windows.day.end) this.#roll(day, moment);
    const { day: today, week, month } = this.#windows;
    this.#total.add(charge);
    if (holds(today, day)) this.#daily.add(charge);
    if (holds(week, day)) this.#weekly.add(charge);
    if (holds(month, day)) this.#monthly.add(charge);
  }

  /** Takes in what the books said of the windows that held `moment` (Unix milliseconds). */
  read(books: SpendWindows, moment: number): void {
    this.#total.read(books.total, this.#onTheirWay);
    const day = utcDay(moment);
    // Nobody looked since that day began.
    if (day >= this.#windows.day.end) this.#roll(day, moment);
    // Another day began since: its windows are read next time.
    if (!holds(this.#windows.day, day)) return;
    this.#daily.read(books.daily, this.#onTheirWay);
    this.#weekly.read(books.weekly, this.#onTheirWay);
    this.#monthly.read(books.monthly, this.#onTheirWay);
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
