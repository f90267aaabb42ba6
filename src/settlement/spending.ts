import type { Endpoint, Model } from '../core/catalogue.ts';
import type { HeadgateError } from '../core/errors.ts';
import type { AnyRequest } from '../core/inference-request.ts';
import type { Limits, ReportedPieces } from '../core/limits.ts';
import { type NanoUsd, zeroUsd } from '../core/money.ts';
import type { RoutedModels } from '../core/routed-models.ts';
import type { Usage } from '../core/usage.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProviderCredential } from '../ports/credentials.ts';
import type { FreeRequests } from '../ports/free-requests.ts';
import type { FullBudget, FullLimit, InFlightBudget, LimitTerms } from '../ports/in-flight-budget.ts';
import { isPrepaid } from './admit.ts';
import { isFreeOfCharge, isFreeVariant } from './cost.ts';
import { freeRequestLimits } from './free-request-limits.ts';
import { HeldLimits, type LimitFacts, type LimitServices } from './held-limits.ts';
import { budgetOf, isSubjectToBudget } from './in-flight-rules.ts';
import { noteOfCall } from './lapsed-call.ts';
import type { KeptHold, LeaseKeeper } from './lease-keeper.ts';
import { MeasuredPrompt } from './measured-prompt.ts';
import {
  budgetExhausted,
  cannotAccount,
  exceedsBalance,
  exceedsBudget,
  negativeBalance,
  noCredits,
  tooManyFreeRequests,
} from './refusals.ts';
import { worstCaseCost } from './worst-case-cost.ts';

/** One endpoint of one model, as a request may reach it. */
export interface SpendingTarget {
  readonly model: Model;
  readonly endpoint: Endpoint;
  /** The account's own provider credential that pays: then nothing is held and nothing is counted. */
  readonly credential?: ProviderCredential;
  /** What chose the model where the request did not name it. */
  readonly router?: RoutedModels;
}

/** Whose request it is and how large it may get. */
export interface SpendingFacts extends LimitFacts {
  readonly generationId: string;
  /** The generation of the first turn of the request; undefined where this is the first. */
  readonly requestId?: string;
  readonly request: Pick<AnyRequest, 'canonical' | 'models' | 'stream'>;
}

/** What deciding about a request's spending needs from outside. */
export interface SpendingServices extends LimitServices {
  readonly clock: Clock;
  readonly limits: () => Limits;
  readonly inFlightBudget: InFlightBudget;
  readonly leases: Pick<LeaseKeeper, 'keep' | 'drop'>;
  readonly freeRequests: FreeRequests;
  /** Whether charges can be booked now. */
  readonly canCharge: () => boolean;
}

/**
 * What one request may spend: counted when it is free, checked against credits and held in the in-flight budget
 * when it is not, endpoint by endpoint (docs/spec/money.md#refusals, docs/spec/money.md#in-flight-budget,
 * docs/spec/money.md#held-limits, docs/spec/money.md#free-variants). Code that admits a target must settle at the end.
 */
export class Spending {
  /** Shared with other code that has to know how long the prompt is. */
  readonly prompt: MeasuredPrompt;
  readonly #facts: SpendingFacts;
  readonly #services: SpendingServices;
  #admitted: SpendingTarget | undefined;
  #counted = false;
  #hold: KeptHold | undefined;
  /** Whether the account's budget ever held something: only then its charge counts there. */
  #isInBudget = false;
  readonly #limits: HeldLimits | undefined;
  /** The limit that running requests hold, when that was the reason of the last refusal. */
  #full: FullLimit | undefined;
  #note: string | undefined;

  constructor(
    facts: SpendingFacts,
    services: SpendingServices,
    prompt = new MeasuredPrompt(facts.request.canonical),
  ) {
    this.prompt = prompt;
    this.#facts = facts;
    this.#services = services;
    this.#limits = HeldLimits.of(facts, prompt, services);
  }

  /** What the answer can be charged for by the piece. */
  get pieces(): ReportedPieces {
    return this.#services.limits().reportedPieces;
  }

  /**
   * Counts the request as one for a free variant, once whatever it goes on to try. Returns the refusal when
   * the account has made too many.
   * @param atExempt Whether it is for an endpoint the limits keep nobody from.
   */
  async countFree(atExempt = false): Promise<HeadgateError | undefined> {
    if (this.#counted) return undefined;
    const { account, funds } = this.#facts.caller;
    const limits = freeRequestLimits(funds, this.#services.limits().freeModels);
    try {
      const exempt = atExempt || account.freeLimitExempt;
      const outcome = await this.#services.freeRequests.count(account.id, exempt ? undefined : limits);
      this.#counted = outcome.counted;
      if (outcome.counted) return undefined;
      const limit = outcome.window === 'day' ? limits.perDay : limits.perMinute;
      return tooManyFreeRequests(outcome, limit, this.#services.clock.now());
    } catch (failure) {
      return cannotAccount(failure);
    }
  }

  /**
   * Whether the request may go to this endpoint next; the refusal when it may not. Holds what it may cost there
   * in place of what was held before. Waits for a limit that running requests hold, a moment in all.
   */
  admit(target: SpendingTarget): HeadgateError | undefined | Promise<HeadgateError | undefined> {
    if (target === this.#admitted) return undefined;
    return this.#limits === undefined ? this.#judge(target) : this.#judgeOrWait(target, this.#limits);
  }

  async #judgeOrWait(target: SpendingTarget, limits: HeldLimits): Promise<HeadgateError | undefined> {
    try {
      for (;;) {
        this.#full = undefined;
        const refusal = await this.#judge(target);
        if (this.#full === undefined || !(await limits.waitFor(this.#full))) return refusal;
      }
    } finally {
      limits.stopWaiting();
    }
  }

  #judge(target: SpendingTarget): HeadgateError | undefined | Promise<HeadgateError | undefined> {
    const { model, endpoint, credential } = target;
    if (credential !== undefined || isFreeOfCharge(model, endpoint)) return this.#admitFree(target);
    if (!this.#services.canCharge()) return cannotAccount();
    if (isPrepaid(this.#facts.caller.account)) return this.#admitPaid(target);
    return this.#admitBesideBudget(target);
  }

  /** Admits what the account's budget does not concern. */
  #admitBesideBudget(target: SpendingTarget): undefined | Promise<HeadgateError | undefined> {
    if (this.#limits !== undefined) return this.#resize(target, zeroUsd);
    this.#admitted = target;
    return undefined;
  }

  /** What the request may cost at most at an endpoint, without counting its tokens; undefined without a price. */
  ceilingAt(endpoint: Endpoint): NanoUsd | undefined {
    return endpoint.price === undefined ? undefined : this.#worstCase(endpoint, this.prompt.atMost);
  }

  /**
   * Turns what is held into what was charged; undefined where nothing is held. Never fails: a hold that cannot be
   * reached lapses.
   * @param byokCost The list cost of what an own credential served.
   * @param settledAt Unix milliseconds.
   */
  settle(
    charge: NanoUsd,
    byokCost: NanoUsd = zeroUsd,
    settledAt: number = this.#services.clock.now(),
  ): Promise<void> | undefined {
    const { inFlightBudget, leases, limits, limitWaits } = this.#services;
    const accountId = this.#facts.caller.account.id;
    const shares = this.#limits?.sharesOf(charge, byokCost, settledAt);
    if (this.#hold === undefined) {
      if (shares?.some(({ amount }) => amount > zeroUsd) !== true) return undefined;
      return inFlightBudget.charge(accountId, shares).catch(() => {});
    }
    leases.drop(this.#hold);
    const { settlementWindow } = limits().inFlightBudget;
    const counted = this.#isInBudget ? charge : zeroUsd;
    const settling = inFlightBudget.settle(this.#hold.member, counted, settlementWindow, shares);
    if (shares !== undefined) limitWaits.released(accountId);
    return settling.catch(() => {});
  }

  /** Remembers what a call that was answered was like, for later calls of a key with limits. */
  measured({ model }: SpendingTarget, usage: Usage): void {
    if (this.#limits === undefined) return;
    const { caller, receivedAt } = this.#facts;
    const { measuredCalls, clock } = this.#services;
    measuredCalls.add(caller.key.hash, model.id, usage, clock.now() - receivedAt);
  }

  async #admitFree(target: SpendingTarget): Promise<HeadgateError | undefined> {
    const counts = target.credential === undefined && isFreeVariant(target.model);
    const refusal = counts ? await this.countFree(target.endpoint.freeLimitExempt) : undefined;
    return refusal ?? this.#resize(target, zeroUsd);
  }

  async #admitPaid(target: SpendingTarget): Promise<HeadgateError | undefined> {
    const { caller } = this.#facts;
    const { balance } = caller.funds;
    if (balance <= 0n) return balance < 0n ? negativeBalance() : noCredits();
    const rules = this.#services.limits().inFlightBudget;
    if (!isSubjectToBudget(caller, rules, this.#services.clock.now())) {
      return this.#coverByBalance(target, balance);
    }
    const cost = this.#worstCase(target.endpoint, this.prompt.tokens);
    const budget = budgetOf(balance, rules);
    // Once an endpoint was tried, what is too dear is passed over as one that does not fit now
    // (docs/spec/money.md#fallbacks-and-the-budget).
    if (cost > budget && this.#admitted === undefined) return exceedsBudget(cost, budget);
    return this.#resize(target, cost, budget);
  }

  #coverByBalance(
    target: SpendingTarget,
    balance: NanoUsd,
  ): HeadgateError | undefined | Promise<HeadgateError | undefined> {
    const { endpoint } = target;
    // Counting tokens is the dearest part of all this, and most balances cover any count. Only the prices must not
    // depend on it.
    const { atMost } = this.prompt;
    const covered = endpoint.price?.overrides === undefined && this.#worstCase(endpoint, atMost) <= balance;
    const cost = covered ? zeroUsd : this.#worstCase(endpoint, this.prompt.tokens);
    if (cost > balance) return exceedsBalance(cost, balance);
    return this.#admitBesideBudget(target);
  }

  async #resize(
    target: SpendingTarget,
    cost: NanoUsd,
    budget: NanoUsd = zeroUsd,
  ): Promise<HeadgateError | undefined> {
    const limits = this.#limits?.termsAt(target);
    const holdsNothing = cost === zeroUsd && limits === undefined && this.#hold === undefined;
    const refusal = holdsNothing ? undefined : await this.#set(cost, budget, limits);
    if (refusal === undefined) this.#admitted = target;
    return refusal;
  }

  async #set(
    cost: NanoUsd,
    budget: NanoUsd,
    limits: readonly LimitTerms[] | undefined,
  ): Promise<HeadgateError | undefined> {
    const { inFlightBudget, leases, limits: rules } = this.#services;
    const { lease, settlementWindow } = rules().inFlightBudget;
    const { caller, generationId, limitPass } = this.#facts;
    const id = this.#hold?.member ?? { accountId: caller.account.id, requestId: generationId };
    this.#note ??= noteOfCall(this.#facts);
    const isBegun = limitPass?.isBegun;
    const terms = { budget, lease, settlementWindow, note: this.#note, limits, isBegun };
    try {
      const outcome = await inFlightBudget.hold(id, cost, terms);
      if (!outcome.held) return this.#refuse(outcome);
    } catch (failure) {
      return cannotAccount(failure);
    }
    if (limits !== undefined && limitPass !== undefined) limitPass.isBegun = true;
    if (cost > zeroUsd) this.#isInBudget = true;
    this.#hold ??= leases.keep(id);
    return undefined;
  }

  #refuse(outcome: FullBudget | FullLimit): HeadgateError | undefined {
    if (!('limit' in outcome)) return budgetExhausted(outcome.retryAfter);
    const refusal = this.#limits?.refusal(outcome);
    if (refusal?.mayWait === true) this.#full = outcome;
    return refusal?.error;
  }

  #worstCase(endpoint: Endpoint, inputTokens: number): NanoUsd {
    return worstCaseCost(endpoint, {
      inputTokens,
      maxOutputTokens: this.#facts.request.canonical.maxOutputTokens,
      outputTokensCap: this.#services.limits().inFlightBudget.outputTokensCap,
      beganAt: this.#facts.receivedAt,
    });
  }
}
