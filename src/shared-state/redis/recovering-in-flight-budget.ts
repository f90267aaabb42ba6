import type { NanoUsd } from '../../core/money.ts';
import { type Clock, monotonicClock } from '../../ports/clock.ts';
import type {
  HoldId,
  HoldOutcome,
  HoldTerms,
  InFlightBudget,
  LapsedHold,
} from '../../ports/in-flight-budget.ts';
import { HoldBook } from './hold-book.ts';
import type { RedisConnection } from './redis-connection.ts';
import { type Hold, RedisInFlightBudget } from './redis-in-flight-budget.ts';

/** Milliseconds between two attempts to tell the store what it missed. */
const retryDelay = 1_000;
/** Holds or settlements told with one wait. */
const toldTogether = 200;

/** What stands behind an in-flight budget in Redis. */
export interface InFlightParts {
  readonly run: RedisConnection['run'];
  /** Decides in place of Redis while it is away; without it requests are refused then. */
  readonly local: InFlightBudget | undefined;
  /** Takes the place of all clocks where tests set the time. */
  readonly clock?: Clock;
}

/**
 * The in-flight budget of one of several processes. It remembers what this process holds: a Redis that comes back, or
 * that has forgotten everything, is told before it decides again; and a hold of which nobody knows whether it was
 * taken is let go.
 */
export class RecoveringInFlightBudget implements InFlightBudget {
  readonly #redis: RedisInFlightBudget;
  readonly #local: InFlightBudget | undefined;
  readonly #clock: Clock | undefined;
  readonly #book: HoldBook;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ run, local, clock }: InFlightParts) {
    this.#redis = new RedisInFlightBudget(run, clock);
    this.#local = local;
    this.#clock = clock;
    this.#book = new HoldBook(clock ?? monotonicClock);
  }

  async hold(id: HoldId, amount: NanoUsd, terms: HoldTerms): Promise<HoldOutcome> {
    let outcome: HoldOutcome;
    try {
      outcome = await this.#redis.hold(id, amount, terms);
    } catch (failure) {
      this.#book.doubted(id);
      this.#tellLater();
      if (this.#local === undefined) throw failure;
      outcome = await this.#local.hold(id, amount, terms);
      if (outcome.held) this.#book.held({ id, amount, note: terms.note }, terms.lease);
      return outcome;
    }
    if (outcome.held) await this.#keep({ id, amount, note: terms.note }, terms.lease);
    return outcome;
  }

  async raise(id: HoldId, amount: NanoUsd, lease: number): Promise<void> {
    // A request that runs is not refused: what Redis does not hear now it hears when it is back.
    await this.#keep({ id, amount }, lease);
    await this.#orLocally(this.#redis.raise(id.accountId, [{ id, amount }], lease), () => {});
  }

  /**
   * Resolves once it is sent: until Redis has it the larger hold counts, and whatever this process asks next comes
   * behind it. Never rejects, it is told again until Redis has it.
   */
  async settle(id: HoldId, charge: NanoUsd, settlementWindow: number): Promise<void> {
    this.#book.ended(id);
    this.#redis.settle(id, charge, settlementWindow).then(
      () => this.#book.paid(id),
      () => {
        this.#book.unsettled(id, charge, settlementWindow);
        this.#tellLater();
      },
    );
    await this.#local?.settle(id, charge, settlementWindow);
  }

  async renew(ids: readonly HoldId[], lease: number): Promise<void> {
    const alive = this.#book.renewed(ids, lease);
    await this.#local?.renew(ids, lease);
    const renewed = [...Map.groupBy(ids, (id) => id.accountId)].map(async ([accountId, ofAccount]) => {
      const requestIds = ofAccount.map(({ requestId }) => requestId);
      const missing = await this.#redis.renew(accountId, requestIds, lease);
      // Redis lost what it was told, in a failover or by being emptied.
      const lost = missing.flatMap((requestId) => alive.get(requestId) ?? []);
      if (lost.length > 0) await this.#redis.raise(accountId, lost, lease);
    });
    await this.#orLocally(Promise.all(renewed), () => []);
  }

  async sweep(): Promise<readonly LapsedHold[]> {
    const locally = await this.#local?.sweep();
    return this.#orLocally(this.#redis.sweep(), () => locally ?? []);
  }

  async inFlight(accountId: string): Promise<NanoUsd> {
    try {
      return await this.#redis.inFlight(accountId);
    } catch (failure) {
      if (this.#local === undefined) throw failure;
      return this.#local.inFlight(accountId);
    }
  }

  /**
   * Tells a Redis that nobody asks yet what this process holds.
   * @param inPart Whether it is good enough to tell those parts of a cluster that answer; the others are told with the
   *   next renewal.
   */
  async restore(run: RedisConnection['run'], inPart: boolean): Promise<void> {
    const redis = new RedisInFlightBudget(run, this.#clock);
    const accounts = [...Map.groupBy(this.#book.running(), ({ id }) => id.accountId)];
    for (let at = 0; at < accounts.length; at += toldTogether) {
      const told = accounts.slice(at, at + toldTogether).map(([accountId, holds]) => {
        const [{ lease } = { lease: 0 }] = holds;
        return redis.raise(accountId, holds, lease);
      });
      await (inPart ? Promise.allSettled(told) : Promise.all(told));
    }
  }

  /** Tells no more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #keep(hold: Hold, lease: number): Promise<void> {
    this.#book.held(hold, lease);
    await this.#local?.raise(hold.id, hold.amount, lease);
  }

  async #orLocally<Value>(asked: Promise<Value>, instead: (local: InFlightBudget) => Value): Promise<Value> {
    try {
      return await asked;
    } catch (failure) {
      if (this.#local === undefined) throw failure;
      return instead(this.#local);
    }
  }

  #tellLater(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = setTimeout(async () => {
      await this.#tellOwed();
      this.#timer = undefined;
      if (this.#book.owed().length > 0) this.#tellLater();
    }, retryDelay).unref();
  }

  async #tellOwed(): Promise<void> {
    const owed = this.#book.owed();
    for (let at = 0; at < owed.length; at += toldTogether) {
      const told = owed.slice(at, at + toldTogether).map(async ({ id, charge, window }) => {
        await this.#redis.settle(id, charge, window);
        this.#book.paid(id);
      });
      const outcomes = await Promise.allSettled(told);
      if (outcomes.some(({ status }) => status === 'rejected')) return;
    }
  }
}
