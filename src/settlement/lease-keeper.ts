import type { InFlightRules } from '../core/limits.ts';
import type { HoldId, InFlightBudget, LapsedHold } from '../ports/in-flight-budget.ts';
import { type Enrolled, Roster } from '../util/roster.ts';

/** A hold whose lease is renewed. */
export type KeptHold = Enrolled<HoldId>;

/**
 * Renews the leases of all holds of this process while their requests run, and lets go of those whose process
 * died (accounts-and-limits 11, case 8): also where nothing is held, for all that were held may have been there.
 */
export class LeaseKeeper {
  readonly #budget: InFlightBudget;
  readonly #rules: () => InFlightRules;
  readonly #onLapsed: (holds: readonly LapsedHold[], failure: unknown) => void;
  readonly #kept = new Roster<HoldId>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param onLapsed Told the requests nobody came back for, or why leases of this process could not be renewed. */
  constructor(
    budget: InFlightBudget,
    rules: () => InFlightRules,
    onLapsed: (holds: readonly LapsedHold[], failure: unknown) => void,
  ) {
    this.#budget = budget;
    this.#rules = rules;
    this.#onLapsed = onLapsed;
    this.#wait();
  }

  /** Renews this hold from now on. */
  keep(id: HoldId): KeptHold {
    return this.#kept.enter(id);
  }

  /** Lets the lease of this hold end by itself. */
  drop(hold: KeptHold): void {
    this.#kept.leave(hold);
  }

  /** Goes by what the rules are now: a lease that became shorter may end before the next renewal by those before. */
  rulesChanged(): void {
    this.#wait();
  }

  /** Stops for good. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** Renews and sweeps once; by itself it does so as often as the rules say. */
  async tend(): Promise<void> {
    try {
      if (this.#kept.size > 0) await this.#budget.renew(this.#kept.members(), this.#rules().lease);
      const lapsed = await this.#budget.sweep();
      if (lapsed.length > 0) this.#onLapsed(lapsed, undefined);
    } catch (failure) {
      if (this.#kept.size > 0) this.#onLapsed([], failure);
    }
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    const timer = setTimeout(async () => {
      await this.tend();
      if (timer === this.#timer) this.#wait();
    }, this.#rules().leaseRenewal).unref();
    this.#timer = timer;
  }
}
