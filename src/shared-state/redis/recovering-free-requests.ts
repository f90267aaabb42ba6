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

/** What stands behind counters in Redis. */
export interface FreeRequestParts {
  readonly run: RedisConnection['run'];
  readonly countBooked: CountBooked;
  /** Makes counters of this process that know no more than the books; without it requests are refused while Redis is away. */
  readonly makeLocal: (() => FreeRequests) | undefined;
  /** Takes the place of all clocks where tests set the time. */
  readonly clock?: Clock;
}

/** Counts free requests in Redis and, if so wished, in this process while Redis is away; then Redis is told of them. */
export class RecoveringFreeRequests implements FreeRequests {
  readonly #parts: FreeRequestParts;
  readonly #redis: RedisFreeRequests;
  readonly #clock: Clock;
  #local: FreeRequests | undefined;
  /** What was counted here alone, by account, all on one day. */
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
      // Each outage begins with what the books have by then.
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

  /** While Redis is away, what the books have. */
  async countedToday(accountId: string): Promise<number> {
    try {
      return await this.#redis.countedToday(accountId);
    } catch {
      return this.#parts.countBooked(accountId, utcDay(this.#clock.now()) * dayLength);
    }
  }

  /**
   * Tells a Redis what was counted here alone; what it has of each account is checked against the books once.
   * @param inPart Whether it is good enough to tell those parts of a cluster that answer.
   */
  async restore(run: RedisConnection['run'], inPart: boolean): Promise<void> {
    const { countBooked, clock } = this.#parts;
    const redis = new RedisFreeRequests(run, countBooked, clock);
    this.#redis.mistrust();
    const alone = this.#day === utcDay(this.#clock.now()) ? [...this.#alone] : [];
    this.#alone.clear();
    this.#local = undefined;
    const told = alone.map(([accountId, times]) =>
      redis.add(accountId, times).catch((failure: unknown) => {
        this.#countAlone(accountId, times);
        throw failure;
      }),
    );
    await (inPart ? Promise.allSettled(told) : Promise.all(told));
  }

  #countAlone(accountId: string, times: number): void {
    const today = utcDay(this.#clock.now());
    if (this.#day !== today) this.#alone.clear();
    this.#day = today;
    this.#alone.set(accountId, (this.#alone.get(accountId) ?? 0) + times);
  }
}
