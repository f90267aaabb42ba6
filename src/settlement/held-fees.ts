import { createGenerationId } from '../core/ids.ts';
import { type NanoUsd, zeroUsd } from '../core/money.ts';
import type { InFlightBudget } from '../ports/in-flight-budget.ts';
import { HeldLimits, hasLimits, type LimitFacts, type LimitServices } from './held-limits.ts';
import type { KeptHold, LeaseKeeper } from './lease-keeper.ts';
import { MeasuredPrompt } from './measured-prompt.ts';
import { cannotAccount } from './refusals.ts';

/** What holding fees needs from outside. */
export interface FeeServices extends LimitServices {
  readonly inFlightBudget: InFlightBudget;
  readonly leases: Pick<LeaseKeeper, 'keep' | 'drop'>;
}

/**
 * What fees of plugins and tools hold of the limits of a caller until they are charged (docs/spec/money.md#held-limits).
 * Code that holds must release at the end.
 */
export class HeldFees {
  readonly #facts: LimitFacts;
  readonly #services: FeeServices;
  readonly #limits: HeldLimits;
  readonly #held: KeptHold[] = [];

  private constructor(facts: LimitFacts, services: FeeServices, limits: HeldLimits) {
    this.#facts = facts;
    this.#services = services;
    this.#limits = limits;
  }

  /** Undefined where nothing limits the caller. */
  static of(facts: LimitFacts, services: FeeServices): HeldFees | undefined {
    if (!hasLimits(facts.caller)) return undefined;
    const limits = HeldLimits.of(facts, new MeasuredPrompt(facts.request.canonical), services);
    return limits && new HeldFees(facts, services, limits);
  }

  /**
   * Holds what something may cost, and lets the request begin; waits where running requests are in its way.
   * @throws HeadgateError when nothing is left of a limit.
   */
  async hold(cost: NanoUsd): Promise<void> {
    if (cost === zeroUsd) return;
    const { leases, clock } = this.#services;
    const { caller, limitPass } = this.#facts;
    const id = { accountId: caller.account.id, requestId: createGenerationId(clock.now()) };
    try {
      for (;;) {
        const outcome = await this.#try(id, cost);
        if (outcome.held) break;
        if (!('limit' in outcome)) throw cannotAccount();
        const { error, mayWait } = this.#limits.refusal(outcome);
        if (!mayWait || !(await this.#limits.waitFor(outcome))) throw error;
      }
    } finally {
      this.#limits.stopWaiting();
    }
    if (limitPass !== undefined) limitPass.isBegun = true;
    this.#held.push(leases.keep(id));
  }

  /**
   * Counts a fee that was charged in place of what was held for it, if anything was. Call it in the turn in which the charge
   * becomes known. @param settledAt Unix milliseconds.
   */
  charged(amount: NanoUsd, settledAt: number): void {
    const kept = this.#held.shift();
    const shares = this.#limits.sharesOf(amount, zeroUsd, settledAt);
    if (kept !== undefined) this.#end(kept, shares);
    else this.#services.inFlightBudget.charge(this.#facts.caller.account.id, shares).catch(() => {});
  }

  /** Releases what was held for fees that were not charged. */
  release(): void {
    for (const kept of this.#held.splice(0)) this.#end(kept, []);
  }

  #end(kept: KeptHold, shares: ReturnType<HeldLimits['sharesOf']>): void {
    const { inFlightBudget, leases, limits, limitWaits } = this.#services;
    const { settlementWindow } = limits().inFlightBudget;
    leases.drop(kept);
    inFlightBudget.settle(kept.member, zeroUsd, settlementWindow, shares).catch(() => {});
    limitWaits.released(kept.member.accountId);
  }

  async #try(id: KeptHold['member'], cost: NanoUsd) {
    const { inFlightBudget, limits } = this.#services;
    const { lease, settlementWindow } = limits().inFlightBudget;
    const isBegun = this.#facts.limitPass?.isBegun;
    const terms = { budget: zeroUsd, lease, settlementWindow, isBegun, limits: this.#limits.terms(cost) };
    try {
      return await inFlightBudget.hold(id, zeroUsd, terms);
    } catch (failure) {
      throw cannotAccount(failure);
    }
  }
}
