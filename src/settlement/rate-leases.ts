import type { InFlightRules } from '../core/limits.ts';
import type { RateClaim, RateLimits } from '../ports/rate-limits.ts';
import { type Enrolled, UnorderedSet } from '../util/unordered-set.ts';
import { RecurringTask } from '../waiting/recurring-task.ts';

/** A running request that counts as parallel, with the home of its claim. */
export interface RunningClaim {
  readonly home: string;
  readonly claim: RateClaim;
}

/** A running request whose lease is renewed. */
export type KeptClaim = Enrolled<RunningClaim>;

const renewalsInLease = 3;

/**
 * Milliseconds after which a parallel place of a dead process is free: three renewals, at most the lease of a hold. It is
 * shorter than that of a hold because it locks clients out and no money depends on it.
 */
export function rateLease({ lease, leaseRenewal }: InFlightRules): number {
  return Math.min(lease, renewalsInLease * leaseRenewal);
}

/** Renews the leases of this process's parallel places while their requests run. */
export class RateLeases {
  readonly #limits: RateLimits;
  readonly #rules: () => InFlightRules;
  readonly #onFailure: (failure: unknown) => void;
  readonly #kept = new UnorderedSet<RunningClaim>();
  readonly #renewing: RecurringTask;

  /** @param onFailure Gets why leases could not be renewed; it is tried again. */
  constructor(limits: RateLimits, rules: () => InFlightRules, onFailure: (failure: unknown) => void) {
    this.#limits = limits;
    this.#rules = rules;
    this.#onFailure = onFailure;
    this.#renewing = new RecurringTask(
      () => this.renew(),
      () => rules().leaseRenewal,
    );
  }

  /** Renews this place from now on. */
  keep(running: RunningClaim): KeptClaim {
    return this.#kept.enter(running);
  }

  /** Stops renewing this place. */
  drop(kept: KeptClaim): void {
    this.#kept.leave(kept);
  }

  /** Applies changed rules: a lease that became shorter may end before the next renewal under the old rules. */
  rulesChanged(): void {
    this.#renewing.restart();
  }

  /** Stops for good. */
  close(): void {
    this.#renewing.close();
  }

  /** Renews once; this also happens by itself, as often as the rules say. */
  async renew(): Promise<void> {
    if (this.#kept.size === 0) return;
    const lease = rateLease(this.#rules());
    const homes = Map.groupBy(this.#kept.members(), ({ home }) => home);
    const renewed = [...homes].map(([home, running]) =>
      this.#limits.renew(
        home,
        running.map(({ claim }) => ({ ...claim, lease })),
      ),
    );
    const failed = (await Promise.allSettled(renewed)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') this.#onFailure(failed.reason);
  }
}
