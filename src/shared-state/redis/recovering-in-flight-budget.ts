import type { NanoUsd } from '../../core/money.ts';
import { type Clock, monotonicClock } from '../../ports/clock.ts';
import type {
  HoldId,
  HoldOutcome,
  HoldTerms,
  InFlightBudget,
  InFlightView,
  LapsedHold,
  LimitShare,
  TakenHold,
} from '../../ports/in-flight-budget.ts';
import { HoldBook } from './hold-book.ts';
import type { RedisConnection } from './redis-connection.ts';
import { type Hold, RedisInFlightBudget } from './redis-in-flight-budget.ts';

/** Milliseconds between two attempts to resend to the store. */
const retryDelay = 1_000;
/** Holds or settlements sent in one batch. */
const sendBatchSize = 200;

/** The parts behind an in-flight budget in Redis. */
export interface InFlightParts {
  readonly run: RedisConnection['run'];
  /** Decides instead of Redis while it is unavailable; if undefined, requests are refused then. */
  readonly local: InFlightBudget | undefined;
  /** Replaces all clocks where tests set the time. */
  readonly clock?: Clock;
}

/**
 * The in-flight budget of one of several processes. It remembers the holds of this process. A Redis that comes back
 * or has lost its data is restored before it decides again, and a hold is released if nobody knows whether it was
 * taken.
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
      outcome = await this.#redis.hold(id, amount, terms, (limit) => this.#book.heldOf(id.accountId, limit));
    } catch (failure) {
      this.#book.doubted(id);
      this.#resendLater();
      if (this.#local === undefined) throw failure;
      outcome = await this.#local.hold(id, amount, terms);
      if (outcome.held && terms.isTrial !== true)
        this.#book.held(holdOf(id, amount, terms, outcome), terms.lease);
      return outcome;
    }
    if (outcome.held && terms.isTrial !== true)
      await this.#keep(holdOf(id, amount, terms, outcome), terms.lease);
    return outcome;
  }

  async raise(id: HoldId, amount: NanoUsd, lease: number, shares?: readonly LimitShare[]): Promise<void> {
    // A running request is not refused; Redis is updated when it is back.
    await this.#keep({ id, amount, shares }, lease);
    await this.#orLocally(this.#redis.raise(id.accountId, [{ id, amount, shares }], lease), () => {});
  }

  /**
   * Resolves once the settlement is sent: until Redis has it the larger hold counts, and later commands of this
   * process follow it. Never rejects; resends until Redis has it.
   */
  async settle(
    id: HoldId,
    charge: NanoUsd,
    settlementWindow: number,
    shares?: readonly LimitShare[],
  ): Promise<void> {
    this.#book.ended(id);
    this.#redis.settle(id, charge, settlementWindow, shares).then(
      () => this.#book.paid(id),
      () => {
        this.#book.unsettled(id, charge, settlementWindow, shares);
        this.#resendLater();
      },
    );
    await this.#local?.settle(id, charge, settlementWindow, shares);
  }

  /** Is not sent again: what was charged is known from the books soon. */
  async charge(accountId: string, shares: readonly LimitShare[]): Promise<void> {
    await this.#local?.charge(accountId, shares);
    await this.#orLocally(this.#redis.charge(accountId, shares), () => {});
  }

  async renew(ids: readonly HoldId[], lease: number): Promise<void> {
    const alive = this.#book.renewed(ids, lease);
    await this.#local?.renew(ids, lease);
    const renewed = [...Map.groupBy(ids, (id) => id.accountId)].map(async ([accountId, ofAccount]) => {
      const requestIds = ofAccount.map(({ requestId }) => requestId);
      const missing = await this.#redis.renew(accountId, requestIds, lease);
      // Redis lost data in a failover, or was emptied.
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
    return this.#orLocally(this.#redis.inFlight(accountId), (local) => local.inFlight(accountId));
  }

  async look(accountId: string, limit: number): Promise<InFlightView> {
    return this.#orLocally(this.#redis.look(accountId, limit), (local) => local.look(accountId, limit));
  }

  /**
   * Sends the holds of this process to a Redis that is not in use yet.
   * @param inPart Whether it is enough to restore the parts of a cluster that answer; the others follow with the next
   * renewal.
   */
  async restore(run: RedisConnection['run'], inPart: boolean): Promise<void> {
    const redis = new RedisInFlightBudget(run, this.#clock);
    const accounts = [...Map.groupBy(this.#book.running(), ({ id }) => id.accountId)];
    for (let at = 0; at < accounts.length; at += sendBatchSize) {
      const sent = accounts.slice(at, at + sendBatchSize).map(([accountId, holds]) => {
        const [{ lease } = { lease: 0 }] = holds;
        return redis.raise(accountId, holds, lease);
      });
      await (inPart ? Promise.allSettled(sent) : Promise.all(sent));
    }
  }

  /** Stops sending. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #keep(hold: Hold, lease: number): Promise<void> {
    this.#book.held(hold, lease);
    await this.#local?.raise(hold.id, hold.amount, lease, hold.shares);
  }

  async #orLocally<Value>(
    reply: Promise<Value>,
    instead: (local: InFlightBudget) => Value | Promise<Value>,
  ): Promise<Value> {
    try {
      return await reply;
    } catch (failure) {
      if (this.#local === undefined) throw failure;
      return instead(this.#local);
    }
  }

  #resendLater(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = setTimeout(async () => {
      await this.#resendSettlements();
      this.#timer = undefined;
      if (this.#book.unconfirmed().length > 0) this.#resendLater();
    }, retryDelay).unref();
  }

  async #resendSettlements(): Promise<void> {
    const unconfirmed = this.#book.unconfirmed();
    for (let at = 0; at < unconfirmed.length; at += sendBatchSize) {
      const sent = unconfirmed.slice(at, at + sendBatchSize).map(async ({ id, charge, window, shares }) => {
        await this.#redis.settle(id, charge, window, shares);
        this.#book.paid(id);
      });
      const outcomes = await Promise.allSettled(sent);
      if (outcomes.some(({ status }) => status === 'rejected')) return;
    }
  }
}

/** The hold of a request as it was taken. */
function holdOf(id: HoldId, amount: NanoUsd, { note }: HoldTerms, { shares = [] }: TakenHold): Hold {
  return { id, amount, note, shares };
}
