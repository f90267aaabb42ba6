import type { InFlightRules } from '../core/limits.ts';
import type { HoldId, InFlightBudget, LapsedHold } from '../ports/in-flight-budget.ts';
import { type Enrolled, UnorderedSet } from '../util/unordered-set.ts';
import { RecurringTask } from '../waiting/recurring-task.ts';

/** A hold whose lease is renewed. */
export type KeptHold = Enrolled<HoldId>;

/**
 * Renews the leases of all holds of this process while their requests run, and releases those whose process died
 * (docs/spec/money.md#lapsed-holds). Sweeps also while this process holds nothing: holds of other processes may lapse.
 */
export class LeaseKeeper {
  readonly #budget: InFlightBudget;
  readonly #rules: () => InFlightRules;
  readonly #onLapsed: (holds: readonly LapsedHold[], failure: unknown) => void;
  readonly #kept = new UnorderedSet<HoldId>();
  readonly #tending: RecurringTask;

  /** @param onLapsed Gets the requests whose holds lapsed, or why leases of this process could not be renewed. */
  constructor(
    budget: InFlightBudget,
    rules: () => InFlightRules,
    onLapsed: (holds: readonly LapsedHold[], failure: unknown) => void,
  ) {
    this.#budget = budget;
    this.#rules = rules;
    this.#onLapsed = onLapsed;
    this.#tending = new RecurringTask(
      () => this.tend(),
      () => rules().leaseRenewal,
    );
  }

  /** Renews this hold from now on. */
  keep(id: HoldId): KeptHold {
    return this.#kept.enter(id);
  }

  /** Lets the lease of this hold end by itself. */
  drop(hold: KeptHold): void {
    this.#kept.leave(hold);
  }

  /** Applies changed rules: a lease that became shorter may end before the next renewal under the old rules. */
  rulesChanged(): void {
    this.#tending.restart();
  }

  /** Stops for good. */
  close(): void {
    this.#tending.close();
  }

  /** Renews and sweeps once; this also happens by itself, as often as the rules say. */
  async tend(): Promise<void> {
    try {
      if (this.#kept.size > 0) await this.#budget.renew(this.#kept.members(), this.#rules().lease);
      const lapsed = await this.#budget.sweep();
      if (lapsed.length > 0) this.#onLapsed(lapsed, undefined);
    } catch (failure) {
      if (this.#kept.size > 0) this.#onLapsed([], failure);
    }
  }
}
