import type { CallLimits, Endpoint } from '../core/catalogue.ts';
import { HeadgateError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import { totalInput, type Usage } from '../core/usage.ts';
import type { Clock } from '../ports/clock.ts';
import type { EndpointPlace } from '../ports/endpoint-places.ts';
import type { RateClaim, RateLimits, RateSubject } from '../ports/rate-limits.ts';
import type { LimitWaits } from './limit-waits.ts';
import type { MeasuredPrompt } from './measured-prompt.ts';
import { type RateLeases, rateLease } from './rate-leases.ts';
import { type RateRefusal, waitOf } from './rate-refusal.ts';
import { isParallelLimited, isTokenLimited, reservedTokens } from './request-rates.ts';
import type { SpendingTarget } from './spending.ts';

/** What limiting calls of providers needs from outside. */
export interface EndpointRateServices {
  readonly clock: Clock;
  readonly limits: () => Limits;
  readonly rateLimits: RateLimits;
  readonly rateLeases: Pick<RateLeases, 'keep' | 'drop'>;
  /** Requests that wait for a place at a provider. */
  readonly endpointWaits: LimitWaits;
}

/** Whose call it is. */
interface CallFacts {
  readonly generationId: string;
  readonly caller: { readonly account: { readonly id: string } };
  readonly signal: AbortSignal;
}

/** Milliseconds that a request waits for a place where its provider does not say. */
const usualWait = 30_000;

/** Whether an operator limits the calls of an endpoint. */
function isLimited({ limits, provider }: Endpoint): boolean {
  return limits !== undefined || provider.limits !== undefined;
}

/**
 * The places of one turn at endpoints whose calls are limited (docs/spec/routing.md#limits-of-providers): counted where the
 * rates of keys are, so all processes share them. Calls with own credentials use up no shared capacity.
 */
export class EndpointRates {
  readonly #facts: CallFacts;
  readonly #prompt: MeasuredPrompt;
  readonly #services: EndpointRateServices;
  #taken = 0;

  private constructor(facts: CallFacts, prompt: MeasuredPrompt, services: EndpointRateServices) {
    this.#facts = facts;
    this.#prompt = prompt;
    this.#services = services;
  }

  /** Undefined where none of the endpoints is limited: then nothing is counted. */
  static of(
    targets: readonly SpendingTarget[],
    facts: CallFacts,
    prompt: MeasuredPrompt,
    services: EndpointRateServices,
  ): EndpointRates | undefined {
    const isAny = targets.some(({ endpoint }) => isLimited(endpoint));
    return isAny ? new EndpointRates(facts, prompt, services) : undefined;
  }

  /** Takes a place; undefined where nothing limits the endpoint. Resolves with the reason where there is none. */
  take(target: SpendingTarget): Promise<EndpointPlace | HeadgateError> | undefined {
    if (target.credential !== undefined || !isLimited(target.endpoint)) return undefined;
    return this.#take(target).then((taken) => ('end' in taken ? taken : this.#refusalOf(target, taken)));
  }

  /** Waits for a place at any of some endpoints. Resolves with the reason of the first when there is none in time. */
  async waitFor<One extends SpendingTarget>(
    targets: readonly One[],
  ): Promise<{ readonly target: One; readonly place: EndpointPlace } | HeadgateError> {
    const { caller, signal } = this.#facts;
    const waits = targets.map(({ endpoint }) => endpoint.provider.limits?.maxWait ?? usualWait);
    const deadline = performance.now() + Math.max(...waits);
    const turn = this.#services.endpointWaits.enter(caller.account.id, lineOf(targets), { deadline, signal });
    try {
      for (;;) {
        const refusals: HeadgateError[] = [];
        let canFit = false;
        for (const target of targets) {
          const taken = await this.#take(target);
          if ('end' in taken) return { target, place: taken };
          canFit ||= taken.fitsAt !== undefined || taken.metric === 'parallel';
          refusals.push(this.#refusalOf(target, taken));
        }
        const [first = new HeadgateError('upstream_rate_limit')] = refusals;
        if (turn === undefined || !canFit || !(await turn.next())) return first;
      }
    } finally {
      turn?.leave();
    }
  }

  async #take({ model, endpoint }: SpendingTarget): Promise<EndpointPlace | RateRefusal> {
    const { generationId } = this.#facts;
    const { limits, rateLimits, rateLeases, endpointWaits } = this.#services;
    const subjects = subjectsOf(model.id, endpoint);
    const rules = limits();
    const tokens = subjects.some(isTokenLimited) ? reservedTokens(this.#prompt, rules) : 0;
    this.#taken += 1;
    const requestId = `${generationId}/${this.#taken}`;
    const claim: RateClaim = { requestId, tokens, subjects, lease: rateLease(rules.inFlightBudget) };
    const home = `provider ${endpoint.provider.slug}`;
    // While the shared state is away nothing is counted, and the provider's own limits remain.
    const outcome = await rateLimits.claim(home, claim).catch(() => undefined);
    if (outcome === undefined) return { end: () => {} };
    if (!outcome.admitted) return outcome;
    const kept = subjects.some(isParallelLimited) ? rateLeases.keep({ home, claim }) : undefined;
    const end = (usage: Usage | undefined) => {
      if (kept !== undefined) rateLeases.drop(kept);
      const used = usage === undefined ? tokens : (totalInput(usage) ?? 0) + (usage.output ?? 0);
      if (kept === undefined && used === tokens) return;
      const settled = rateLimits.settle(home, claim, outcome.second, tokens === 0 ? 0 : used);
      settled.catch(() => {}).then(() => endpointWaits.freed());
    };
    return { end };
  }

  #refusalOf({ endpoint: { provider } }: SpendingTarget, refusal: RateRefusal): HeadgateError {
    const { metric, limit } = refusal;
    const words =
      metric === 'parallel' ? `${limit} requests at the same time` : `${limit} ${metric} a minute`;
    const wait = waitOf(refusal, this.#services.clock.now());
    return new HeadgateError('upstream_rate_limit', `This service sends ${provider.name} at most ${words}.`, {
      metadata: { provider_name: provider.name },
      ...(wait !== undefined && { retryAfter: Math.max(1, wait) }),
    });
  }
}

function subjectsOf(modelId: string, { tag, limits, provider }: Endpoint): readonly RateSubject[] {
  const subject = (kind: RateSubject['kind'], id: string, most: CallLimits | undefined): RateSubject[] => {
    if (most === undefined) return [];
    const { requestsPerMinute, tokensPerMinute, parallel } = most;
    return [{ kind, id, requestsPerMinute, tokensPerMinute, parallel }];
  };
  return [
    ...subject('provider', provider.slug, provider.limits),
    ...subject('endpoint', `${modelId} ${tag}`, limits),
  ];
}

/** Requests that wait for the same endpoints stand in one line. */
function lineOf(targets: readonly SpendingTarget[]): string {
  return targets.map(({ model, endpoint }) => `${model.id} ${endpoint.tag}`).join(', ');
}
