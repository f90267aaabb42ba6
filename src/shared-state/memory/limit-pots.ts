import { type NanoUsd, nanoFromInteger, zeroUsd } from '../../core/money.ts';
import {
  type FullLimit,
  type HoldTerms,
  type LimitShare,
  type LimitTerms,
  limitMemory,
} from '../../ports/in-flight-budget.ts';

/** A limit that requests count in. */
interface Pot {
  spent: bigint;
  /** The sum of what running requests hold. */
  held: bigint;
  window: number;
  usedAt: number;
}

/**
 * What running requests of an account hold of limits, and what was spent of these. Times are milliseconds of one clock.
 * In one process a charge becomes known in the same turn in which its hold ends, so what a hold says to be spent is
 * never a charge that is held as well.
 */
export class LimitPots {
  readonly #pots = new Map<string, Pot>();

  get empty(): boolean {
    return this.#pots.size === 0;
  }

  /** What a request would hold, or the first limit of which nothing is left. @param own What it holds now. */
  fit(
    { limits = [], isBegun }: HoldTerms,
    own: readonly LimitShare[],
    now: number,
  ): readonly LimitShare[] | FullLimit {
    const shares: LimitShare[] = [];
    for (const terms of limits) {
      const { id, limit, amount } = terms;
      const mine = own.find((share) => share.id === id)?.amount ?? zeroUsd;
      const spent = this.#spentOf(terms, now);
      const left = limit - spent - ((this.#pots.get(id)?.held ?? 0n) - mine);
      if (left <= 0n && mine === zeroUsd && amount > zeroUsd && isBegun !== true) {
        return { held: false, limit: id, spent };
      }
      const most = left > mine ? left : mine;
      shares.push({ id, window: terms.window, amount: nanoFromInteger(amount < most ? amount : most) });
    }
    return shares;
  }

  /** Takes what the holds of a request say to be spent. */
  read(limits: readonly LimitTerms[], now: number): void {
    for (const terms of limits) {
      const spent = this.#spentOf(terms, now);
      const pot = this.#potOf(terms.id, terms.window, now);
      pot.spent = spent;
      if (terms.window > pot.window) pot.window = terms.window;
    }
  }

  /** Adds shares to what is held. */
  take(shares: readonly LimitShare[], now: number): void {
    for (const { id, window, amount } of shares) this.#potOf(id, window, now).held += amount;
  }

  /** Releases shares. */
  release(shares: readonly LimitShare[], now: number): void {
    for (const { id, amount } of shares) {
      const pot = this.#pots.get(id);
      if (pot === undefined) continue;
      pot.held -= amount;
      pot.usedAt = now;
    }
  }

  /** Adds charges to what was spent of the limits that are known. */
  charge(shares: readonly LimitShare[], now: number): void {
    for (const { id, window, amount } of shares) {
      const pot = this.#known(id, now);
      if (pot === undefined || window < pot.window) continue;
      if (window > pot.window) {
        pot.window = window;
        pot.spent = 0n;
      }
      pot.spent += amount;
      pot.usedAt = now;
    }
  }

  /** Forgets limits that were not used for a while. */
  forget(now: number): void {
    for (const id of this.#pots.keys()) if (this.#known(id, now) === undefined) this.#pots.delete(id);
  }

  #known(id: string, now: number): Pot | undefined {
    const pot = this.#pots.get(id);
    return pot === undefined || (pot.held === 0n && now - pot.usedAt >= limitMemory) ? undefined : pot;
  }

  #spentOf({ id, window, spent }: LimitTerms, now: number): NanoUsd {
    const pot = this.#known(id, now);
    if (pot === undefined || window > pot.window) return spent;
    return window === pot.window && spent > pot.spent ? spent : nanoFromInteger(pot.spent);
  }

  #potOf(id: string, window: number, now: number): Pot {
    let pot = this.#known(id, now);
    if (pot === undefined) {
      pot = { spent: 0n, held: 0n, window, usedAt: now };
      this.#pots.set(id, pot);
    }
    pot.usedAt = now;
    return pot;
  }
}
