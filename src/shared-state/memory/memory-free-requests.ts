import type { Clock } from '../../ports/clock.ts';
import type {
  CountBooked,
  FreeRequestLimits,
  FreeRequestOutcome,
  FreeRequests,
} from '../../ports/free-requests.ts';
import { dayLength, minuteLength, utcDay } from '../../util/utc-windows.ts';

interface Counters {
  minute: number;
  inMinute: number;
  inDay: number;
}

const counted: FreeRequestOutcome = { counted: true };

/**
 * Counts requests for free variants in this process. Counts from before the start are read from the ledger once for
 * each account, so that a restart does not reset a day's limit.
 */
export class MemoryFreeRequests implements FreeRequests {
  readonly #clock: Clock;
  readonly #countBooked: CountBooked;
  #accounts = new Map<string, Counters>();
  readonly #reading = new Map<string, Promise<void>>();
  #day: number;
  /**
   * The day on which this process started: the ledger may contain requests of it that were not counted here.
   */
  #firstDay: number;

  constructor(clock: Clock, countBooked: CountBooked) {
    this.#clock = clock;
    this.#countBooked = countBooked;
    this.#day = utcDay(clock.now());
    this.#firstDay = this.#day;
  }

  async count(accountId: string, limits: FreeRequestLimits | undefined): Promise<FreeRequestOutcome> {
    const counters = this.#known(accountId) ?? (await this.#read(accountId));
    // No await from here on, so that test and increment are atomic.
    const outcome = this.#test(counters, limits);
    if (outcome.counted) {
      counters.inMinute += 1;
      counters.inDay += 1;
    }
    return outcome;
  }

  async look(accountId: string, limits: FreeRequestLimits | undefined): Promise<FreeRequestOutcome> {
    return this.#test(this.#known(accountId) ?? (await this.#read(accountId)), limits);
  }

  /** Whether both current windows have room. */
  #test(counters: Counters, limits: FreeRequestLimits | undefined): FreeRequestOutcome {
    const minute = Math.floor(this.#clock.now() / minuteLength);
    // A clock set back a little does not restart a minute.
    if (minute > counters.minute || minute < counters.minute - 1) {
      counters.minute = minute;
      counters.inMinute = 0;
    }
    if (limits !== undefined && counters.inDay >= limits.perDay) {
      return { counted: false, window: 'day', resetsAt: (this.#day + 1) * dayLength };
    }
    if (limits !== undefined && counters.inMinute >= limits.perMinute) {
      return { counted: false, window: 'minute', resetsAt: (counters.minute + 1) * minuteLength };
    }
    return counted;
  }

  async countedToday(accountId: string): Promise<number> {
    return (this.#known(accountId) ?? (await this.#read(accountId))).inDay;
  }

  #known(accountId: string): Counters | undefined {
    const day = utcDay(this.#clock.now());
    // A clock set back a little over midnight does not restart the day.
    if (day !== this.#day && day !== this.#day - 1) this.#beginDay(day);
    const known = this.#accounts.get(accountId);
    if (known !== undefined || this.#day === this.#firstDay) return known;
    const fresh: Counters = { minute: 0, inMinute: 0, inDay: 0 };
    this.#accounts.set(accountId, fresh);
    return fresh;
  }

  #beginDay(day: number): void {
    // If the clock goes back by days, only the ledger knows the earlier counts.
    if (day < this.#day) this.#firstDay = day;
    this.#day = day;
    this.#accounts = new Map();
  }

  async #read(accountId: string): Promise<Counters> {
    for (;;) {
      let reading = this.#reading.get(accountId);
      if (reading === undefined) {
        reading = this.#readBooks(accountId).finally(() => this.#reading.delete(accountId));
        this.#reading.set(accountId, reading);
      }
      await reading;
      // Unless the day changed during the read.
      const known = this.#known(accountId);
      if (known !== undefined) return known;
    }
  }

  async #readBooks(accountId: string): Promise<void> {
    const day = this.#day;
    const minute = Math.floor(this.#clock.now() / minuteLength);
    const [inDay, inMinute] = await Promise.all([
      this.#countBooked(accountId, day * dayLength),
      this.#countBooked(accountId, minute * minuteLength),
    ]);
    if (this.#day === day) this.#accounts.set(accountId, { minute, inMinute, inDay });
  }
}
