import { type NanoUsd, zeroUsd } from '../../core/money.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HoldId, LimitShare } from '../../ports/in-flight-budget.ts';
import { LinkedMap } from '../../util/linked-map.ts';
import type { Hold } from './redis-in-flight-budget.ts';

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
export class HoldBook {
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
