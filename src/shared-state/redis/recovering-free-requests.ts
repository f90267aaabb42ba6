import { type Clock, systemClock } from '../../ports/clock.ts';
import type {
  CountBooked,
  FreeRequestLimits,
  FreeRequestOutcome,
  FreeRequests,
} from '../../ports/free-requests.ts';
import { dayLength, utcDay } from '../../util/utc-windows.ts';
import type { RedisConnection } from './redis-connection.ts';
import { RedisFreeRequests } from './redis-free-requests.ts';

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
