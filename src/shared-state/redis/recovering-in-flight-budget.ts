import { type NanoUsd, zeroUsd } from '../../core/money.ts';
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
import { LinkedMap } from '../../util/linked-map.ts';
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
  readonly #book: LocalReservations;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ run, local, clock }: InFlightParts) {
    this.#redis = new RedisInFlightBudget(run, clock);
    this.#local = local;
    this.#clock = clock;
    this.#book = new LocalReservations(clock ?? monotonicClock);
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

interface RunningHold extends Hold {
  readonly lease: number;
  readonly aliveUntil: number;
}

/** A settlement that the store has not confirmed. */
interface UnconfirmedSettlement {
  readonly id: HoldId;
  readonly charge: NanoUsd;
  /** What it was charged of limits. */
  readonly shares: readonly LimitShare[] | undefined;
  /** When the charge stops counting. */
  readonly countsUntil: number;
  /** When the ended hold has expired by itself. */
  readonly holdExpiresAt: number;
}

/** The longest lease without renewal, in milliseconds. */
const longestLease = 3_600_000;
const maxUnconfirmed = 100_000;

/**
 * The holds of this process, and the settlements that the store has not confirmed. It is enough to restore a store
 * that was unavailable or lost its data.
 */
export class LocalReservations {
  readonly #clock: Clock;
  readonly #running = new LinkedMap<string, RunningHold>();
  /** What they hold of each limit, by account and limit. */
  readonly #shares = new Map<string, bigint>();
  /** The one that has been unconfirmed longest is first. */
  readonly #unconfirmed = new LinkedMap<string, UnconfirmedSettlement>();

  /** @param clock Must be monotonic. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records the current hold of a request. */
  held({ id, amount, note, shares }: Hold, lease: number): void {
    const { requestId } = id;
    this.#unconfirmed.delete(requestId);
    const before = this.#drop(requestId);
    const held = { id, amount, note: before?.note ?? note, shares: shares ?? before?.shares };
    if (amount === 0n && !held.shares?.length) return;
    this.#running.set(requestId, { ...held, lease, aliveUntil: this.#clock.now() + lease });
    this.#count(held, 1n);
  }

  /** What the running requests of this process hold of a limit. */
  heldOf(accountId: string, limit: string): bigint {
    return this.#shares.get(nameOf(accountId, limit)) ?? 0n;
  }

  /** Records that a hold may or may not have been taken, so it must be restored to its former amount. */
  doubted(id: HoldId): void {
    if (this.#running.get(id.requestId) === undefined) this.#owe(id, zeroUsd, 0);
  }

  /** Records the end of a request. */
  ended(id: HoldId): void {
    this.#drop(id.requestId);
  }

  /** Records a settlement that could not be sent to the store. */
  unsettled(id: HoldId, charge: NanoUsd, settlementWindow: number, shares?: readonly LimitShare[]): void {
    this.#owe(id, charge, settlementWindow, shares);
  }

  /** Renews leases. Returns those of the requests whose lease had not expired. */
  renewed(ids: readonly HoldId[], lease: number): ReadonlyMap<string, Hold> {
    const now = this.#clock.now();
    const alive = new Map<string, Hold>();
    for (const { id, aliveUntil } of [...this.#running.values()])
      if (aliveUntil <= now) this.#drop(id.requestId);
    for (const { requestId } of ids) {
      const hold = this.#running.get(requestId);
      if (hold === undefined) continue;
      const renewed = { ...hold, lease, aliveUntil: now + lease };
      this.#running.set(requestId, renewed);
      alive.set(requestId, renewed);
    }
    return alive;
  }

  /** All holds whose lease has not expired. */
  running(): readonly RunningHold[] {
    const now = this.#clock.now();
    return [...this.#running.values()].filter(({ aliveUntil }) => aliveUntil > now);
  }

  /**
   * Settlements to send again, with the remainder of their windows in whole milliseconds, which Redis requires.
   */
  unconfirmed(): readonly (Pick<UnconfirmedSettlement, 'id' | 'charge' | 'shares'> & {
    readonly window: number;
  })[] {
    const now = this.#clock.now();
    this.#unconfirmed.dropWhile(({ holdExpiresAt }) => holdExpiresAt <= now);
    return [...this.#unconfirmed.values()].map(({ id, charge, shares, countsUntil }) => {
      const window = Math.ceil(countsUntil - now);
      return window > 0 ? { id, charge, shares, window } : { id, charge: zeroUsd, shares, window: 0 };
    });
  }

  /** Records that the store has confirmed a settlement. */
  paid({ requestId }: HoldId): void {
    this.#unconfirmed.delete(requestId);
  }

  #drop(requestId: string): RunningHold | undefined {
    const hold = this.#running.get(requestId);
    if (hold === undefined) return undefined;
    this.#running.delete(requestId);
    this.#count(hold, -1n);
    return hold;
  }

  #count({ id, shares = [] }: Hold, sign: bigint): void {
    for (const { id: limit, amount } of shares) {
      const name = nameOf(id.accountId, limit);
      const held = (this.#shares.get(name) ?? 0n) + sign * amount;
      if (held === 0n) this.#shares.delete(name);
      else this.#shares.set(name, held);
    }
  }

  #owe(id: HoldId, charge: NanoUsd, settlementWindow: number, shares?: readonly LimitShare[]): void {
    const now = this.#clock.now();
    const countsUntil = now + settlementWindow;
    const holdExpiresAt = now + longestLease;
    this.#unconfirmed.set(id.requestId, { id, charge, shares, countsUntil, holdExpiresAt });
    this.#unconfirmed.dropWhile(() => this.#unconfirmed.size > maxUnconfirmed);
  }
}

function nameOf(accountId: string, limit: string): string {
  return `${accountId} ${limit}`;
}
