import { type NanoUsd, zeroUsd } from '../../core/money.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HoldId } from '../../ports/in-flight-budget.ts';
import { LinkedMap } from '../../util/linked-map.ts';
import type { Hold } from './redis-in-flight-budget.ts';

interface RunningHold extends Hold {
  readonly lease: number;
  readonly aliveUntil: number;
}

/** A settlement the store has not confirmed. */
interface OwedSettlement {
  readonly id: HoldId;
  readonly charge: NanoUsd;
  /** From when on the charge no longer counts. */
  readonly countsUntil: number;
  /** From when on the hold it ends has lapsed by itself. */
  readonly owedUntil: number;
}

/** No lease that is left alone lasts longer, in milliseconds. */
const longestOwed = 3_600_000;
const mostOwed = 100_000;

/**
 * What this process holds, and what it could not yet tell the store: enough to bring a store up to date that was away
 * or has forgotten everything.
 */
export class HoldBook {
  readonly #clock: Clock;
  readonly #running = new LinkedMap<string, RunningHold>();
  /** The one that is owed longest first. */
  readonly #owed = new LinkedMap<string, OwedSettlement>();

  /** @param clock One that is never set. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The hold of a request is now of this amount. */
  held({ id, amount, note }: Hold, lease: number): void {
    const { requestId } = id;
    this.#owed.delete(requestId);
    if (amount === 0n) {
      this.#running.delete(requestId);
      return;
    }
    const first = this.#running.get(requestId)?.note ?? note;
    this.#running.set(requestId, { id, amount, note: first, lease, aliveUntil: this.#clock.now() + lease });
  }

  /** It is not known whether a hold was taken: it must be as before. */
  doubted(id: HoldId): void {
    if (this.#running.get(id.requestId) === undefined) this.#owe(id, zeroUsd, 0);
  }

  /** The request is over. */
  ended(id: HoldId): void {
    this.#running.delete(id.requestId);
  }

  /** The store could not be told that a request is over. */
  unsettled(id: HoldId, charge: NanoUsd, settlementWindow: number): void {
    this.#owe(id, charge, settlementWindow);
  }

  /** Begins leases anew. Returns those of the requests whose lease had not lapsed. */
  renewed(ids: readonly HoldId[], lease: number): ReadonlyMap<string, Hold> {
    const now = this.#clock.now();
    const alive = new Map<string, Hold>();
    for (const { id, aliveUntil } of [...this.#running.values()])
      if (aliveUntil <= now) this.#running.delete(id.requestId);
    for (const { requestId } of ids) {
      const hold = this.#running.get(requestId);
      if (hold === undefined) continue;
      const renewed = { ...hold, lease, aliveUntil: now + lease };
      this.#running.set(requestId, renewed);
      alive.set(requestId, renewed);
    }
    return alive;
  }

  /** All holds whose lease has not lapsed. */
  running(): readonly RunningHold[] {
    const now = this.#clock.now();
    return [...this.#running.values()].filter(({ aliveUntil }) => aliveUntil > now);
  }

  /** Settlements to be told again, with what is left of their windows: whole milliseconds, Redis takes no others. */
  owed(): readonly { readonly id: HoldId; readonly charge: NanoUsd; readonly window: number }[] {
    const now = this.#clock.now();
    this.#owed.dropWhile(({ owedUntil }) => owedUntil <= now);
    return [...this.#owed.values()].map(({ id, charge, countsUntil }) => {
      const window = Math.ceil(countsUntil - now);
      return window > 0 ? { id, charge, window } : { id, charge: zeroUsd, window: 0 };
    });
  }

  /** The store was told. */
  paid({ requestId }: HoldId): void {
    this.#owed.delete(requestId);
  }

  #owe(id: HoldId, charge: NanoUsd, settlementWindow: number): void {
    const now = this.#clock.now();
    const countsUntil = now + settlementWindow;
    this.#owed.set(id.requestId, { id, charge, countsUntil, owedUntil: now + longestOwed });
    this.#owed.dropWhile(() => this.#owed.size > mostOwed);
  }
}
