import { HeadgateError } from '../../core/errors.ts';
import { type Clock, systemClock } from '../../ports/clock.ts';
import type {
  CountBooked,
  FreeRequestLimits,
  FreeRequestOutcome,
  FreeRequests,
} from '../../ports/free-requests.ts';
import { dayLength, minuteLength, utcDay } from '../../util/utc-windows.ts';
import { countedTodayScript, countScript, freeRequestsKey } from './free-requests-scripts.ts';
import type { RedisConnection } from './redis-connection.ts';

/** The parts behind the counters in Redis. */
export interface FreeRequestParts {
  readonly run: RedisConnection['run'];
  readonly countBooked: CountBooked;
  /**
   * Creates counters of this process that start from the ledger; if undefined, requests are refused while Redis is
   * unavailable.
   */
  readonly makeLocal: (() => FreeRequests) | undefined;
  /** Replaces all clocks where tests set the time. */
  readonly clock?: Clock;
}

/**
 * Counts free requests in Redis. While Redis is unavailable it optionally counts in this process, and adds those
 * counts to Redis afterwards.
 */
export class RecoveringFreeRequests implements FreeRequests {
  readonly #parts: FreeRequestParts;
  readonly #redis: RedisFreeRequests;
  readonly #clock: Clock;
  #local: FreeRequests | undefined;
  /** Counts made here alone, by account, all of one day. */
  readonly #alone = new Map<string, number>();
  #day: number | undefined;

  constructor(parts: FreeRequestParts) {
    this.#parts = parts;
    this.#redis = new RedisFreeRequests(parts.run, parts.countBooked, parts.clock);
    this.#clock = parts.clock ?? systemClock;
  }

  async count(accountId: string, limits: FreeRequestLimits | undefined): Promise<FreeRequestOutcome> {
    try {
      const outcome = await this.#redis.count(accountId, limits);
      if (this.#local !== undefined) void this.restore(this.#parts.run, true).catch(() => {});
      return outcome;
    } catch (failure) {
      const { makeLocal } = this.#parts;
      if (makeLocal === undefined) throw failure;
      // Each outage starts from the ledger's current counts.
      this.#local ??= makeLocal();
      const outcome = await this.#local.count(accountId, limits);
      if (outcome.counted) this.#countAlone(accountId, 1);
      return outcome;
    }
  }

  async look(accountId: string, limits: FreeRequestLimits | undefined): Promise<FreeRequestOutcome> {
    try {
      return await this.#redis.look(accountId, limits);
    } catch (failure) {
      const local = this.#local ?? this.#parts.makeLocal?.();
      if (local === undefined) throw failure;
      return local.look(accountId, limits);
    }
  }

  /** While Redis is unavailable, returns the ledger's count. */
  async countedToday(accountId: string): Promise<number> {
    try {
      return await this.#redis.countedToday(accountId);
    } catch {
      return this.#parts.countBooked(accountId, utcDay(this.#clock.now()) * dayLength);
    }
  }

  /**
   * Adds the counts made here alone to Redis, whose own counts are compared with the ledger once for each account.
   * @param inPart Whether it is enough to restore the parts of a cluster that answer.
   */
  async restore(run: RedisConnection['run'], inPart: boolean): Promise<void> {
    const { countBooked, clock } = this.#parts;
    const redis = new RedisFreeRequests(run, countBooked, clock);
    this.#redis.mistrust();
    const alone = this.#day === utcDay(this.#clock.now()) ? [...this.#alone] : [];
    this.#alone.clear();
    this.#local = undefined;
    const sent = alone.map(([accountId, times]) =>
      redis.add(accountId, times).catch((failure: unknown) => {
        this.#countAlone(accountId, times);
        throw failure;
      }),
    );
    await (inPart ? Promise.allSettled(sent) : Promise.all(sent));
  }

  #countAlone(accountId: string, times: number): void {
    const today = utcDay(this.#clock.now());
    if (this.#day !== today) this.#alone.clear();
    this.#day = today;
    this.#alone.set(accountId, (this.#alone.get(accountId) ?? 0) + times);
  }
}

/** Milliseconds for which concurrent callers share one read; the first count makes it obsolete. */
const readFor = 1_000;

interface Booked {
  readonly inDay: number;
  readonly inMinute: number;
}

/** Limit of accounts known to have been compared with the ledger; others are compared again. */
const maxChecked = 10_000;

/**
 * Counts requests for free variants in Redis, with one script per request, in windows of the server's clock. The
 * ledger is read for an account that Redis does not know (without requests for two days, or after Redis lost its
 * data), and once for each account after `mistrust`.
 */
class RedisFreeRequests implements FreeRequests {
  readonly #run: RedisConnection['run'];
  readonly #countBooked: CountBooked;
  readonly #clock: Clock | undefined;
  /** By account and minute. */
  readonly #reading = new Map<string, Promise<Booked>>();
  /** Accounts whose counters are known to be as new as the ledger. */
  readonly #checked = new Set<string>();

  /** @param clock Replaces the server's where tests set the time. */
  constructor(run: RedisConnection['run'], countBooked: CountBooked, clock?: Clock) {
    this.#run = run;
    this.#countBooked = countBooked;
    this.#clock = clock;
  }

  /** Marks all counters as possibly outdated, as those of a server that was restored or took over are. */
  mistrust(): void {
    this.#checked.clear();
    this.#reading.clear();
  }

  count(accountId: string, limits: FreeRequestLimits | undefined): Promise<FreeRequestOutcome> {
    return this.#count(accountId, limits, 1);
  }

  look(accountId: string, limits: FreeRequestLimits | undefined): Promise<FreeRequestOutcome> {
    return this.#count(accountId, limits, 0);
  }

  async #count(
    accountId: string,
    limits: FreeRequestLimits | undefined,
    times: number,
  ): Promise<FreeRequestOutcome> {
    const bounds = limits === undefined ? ['', ''] : [String(limits.perMinute), String(limits.perDay)];
    const args = [...bounds, String(times)];
    const doubt = this.#checked.has(accountId) ? '' : 'check';
    let reply = replyOf(await this.#call(countScript, accountId, [...args, '', '', doubt]));
    if (reply[0] === 'unknown' || reply[0] === 'unsure') {
      const bookedArguments = await this.#booked(accountId, reply);
      reply = replyOf(await this.#call(countScript, accountId, [...args, ...bookedArguments]));
    }
    if (reply[0] === 'counted') return { counted: true };
    const [, window, resetsAt] = reply;
    return { counted: false, window: window === 'day' ? 'day' : 'minute', resetsAt: Number(resetsAt) };
  }

  /**
   * Counts requests that were made while Redis was unavailable, whatever the limits. A Redis that does not know the
   * account will read the ledger, which includes them.
   */
  async add(accountId: string, times: number): Promise<void> {
    await this.#call(countScript, accountId, ['', '', String(times), '', '']);
  }

  async countedToday(accountId: string): Promise<number> {
    const [word, number] = replyOf(await this.#call(countedTodayScript, accountId, []));
    if (word === 'counted') return Number(number);
    return (await this.#read(accountId, Number(number))).inDay;
  }

  #call(script: typeof countScript, accountId: string, args: readonly string[]): Promise<unknown> {
    const now = this.#clock === undefined ? '' : String(this.#clock.now());
    return this.#run(script, [freeRequestsKey(accountId)], [now, ...args]);
  }

  /** The ledger's counts as script arguments; empty where they are optional and cannot be read. */
  async #booked(accountId: string, [word, now]: readonly unknown[]): Promise<readonly [string, string]> {
    try {
      const { inDay, inMinute } = await this.#read(accountId, Number(now));
      if (this.#checked.size >= maxChecked) this.#checked.clear();
      this.#checked.add(accountId);
      return [String(inDay), String(inMinute)];
    } catch (failure) {
      if (word === 'unknown') throw failure;
      return ['', ''];
    }
  }

  /** Concurrent callers share one read of the ledger. */
  #read(accountId: string, now: number): Promise<Booked> {
    const name = `${accountId} ${Math.floor(now / minuteLength)}`;
    let reading = this.#reading.get(name);
    if (reading === undefined) {
      const forget = () => this.#reading.delete(name);
      reading = this.#readBooks(accountId, now);
      reading.then(() => setTimeout(forget, readFor).unref(), forget);
      this.#reading.set(name, reading);
    }
    return reading;
  }

  async #readBooks(accountId: string, now: number): Promise<Booked> {
    const [inDay, inMinute] = await Promise.all([
      this.#countBooked(accountId, Math.floor(now / dayLength) * dayLength),
      this.#countBooked(accountId, Math.floor(now / minuteLength) * minuteLength),
    ]);
    return { inDay, inMinute };
  }
}

function replyOf(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw new HeadgateError('service_unavailable');
  return reply;
}
