import type { HeadgateError } from '../core/errors.ts';
import type { Limits, RateLimit, RateRules } from '../core/limits.ts';
import type { CanonicalRequest } from '../core/request.ts';
import { totalInput, type Usage } from '../core/usage.ts';
import type { Clock } from '../ports/clock.ts';
import type { ApiKey, KeyRates } from '../ports/keys.ts';
import type { RateClaim, RateLimits, RateSubject } from '../ports/rate-limits.ts';
import type { Caller } from './caller.ts';
import type { MeasuredPrompt } from './measured-prompt.ts';
import { type KeptClaim, type RateLeases, rateLease } from './rate-leases.ts';
import { type RateRefusal, rateRefusal } from './rate-refusal.ts';
import { cannotAccount } from './refusals.ts';

/** What limiting rates needs from outside. */
export interface RateServices {
  readonly clock: Clock;
  readonly limits: () => Limits;
  readonly rateLimits: RateLimits;
  readonly rateLeases: Pick<RateLeases, 'keep' | 'drop'>;
}

/** Whose request it is. */
export interface RateFacts {
  readonly generationId: string;
  readonly caller: Pick<Caller, 'key' | 'account'>;
}

interface CountedClaim {
  readonly home: string;
  readonly claim: RateClaim;
  readonly second: number;
  readonly kept: KeptClaim | undefined;
}

/**
 * What one client request counts against the limits of requests, tokens and parallel requests, with all its turns
 * (docs/spec/money.md#rates). Code that claims must settle or withdraw at the end.
 */
export class RequestRates {
  readonly #requestId: string;
  readonly #groups: readonly RateGroup[];
  readonly #services: RateServices;
  readonly #hasTokenLimit: boolean;
  #counted: readonly CountedClaim[] = [];
  #isClaimed = false;
  #usedTokens = 0;

  private constructor(requestId: string, groups: readonly RateGroup[], services: RateServices) {
    this.#requestId = requestId;
    this.#groups = groups;
    this.#services = services;
    this.#hasTokenLimit = groups.some(({ subjects }) => subjects.some(isTokenLimited));
  }

  /** Undefined where nothing limits the caller: then nothing is counted. */
  static of({ generationId, caller }: RateFacts, services: RateServices): RequestRates | undefined {
    const groups = rateGroups(caller, services.limits().rates);
    return groups && new RequestRates(generationId, groups, services);
  }

  /**
   * Counts the request, once however often it is called, or returns why it is not admitted. A refused request counts
   * against no limit.
   */
  async claim(prompt: MeasuredPrompt): Promise<HeadgateError | undefined> {
    if (this.#isClaimed) return undefined;
    const { clock, limits, rateLimits, rateLeases } = this.#services;
    const tokens = this.#hasTokenLimit ? reservedTokens(prompt, limits()) : 0;
    const lease = rateLease(limits().inFlightBudget);
    const waiting = this.#groups.map(({ home, subjects }) => {
      return { home, claim: { requestId: this.#requestId, tokens, subjects, lease } };
    });
    for (const [index, { home, claim }] of waiting.entries()) {
      const outcome = await rateLimits.claim(home, claim).catch(cannotAccount);
      if ('admitted' in outcome && outcome.admitted) {
        const kept = claim.subjects.some(isParallelLimited) ? rateLeases.keep({ home, claim }) : undefined;
        this.#counted = [...this.#counted, { home, claim, second: outcome.second, kept }];
        continue;
      }
      await this.withdraw();
      if (!('admitted' in outcome)) return outcome;
      const last = await this.#lastToFree(outcome, waiting.slice(index + 1));
      return rateRefusal(last, tokens, clock.now());
    }
    this.#isClaimed = true;
    return undefined;
  }

  /** Adds what a turn of the request has used. */
  use(usage: Usage): void {
    this.#usedTokens += (totalInput(usage) ?? 0) + (usage.output ?? 0);
  }

  /**
   * Takes the claim back: the request was refused after all. One of which a turn has used tokens counts nevertheless.
   * Never fails.
   */
  async withdraw(): Promise<void> {
    if (this.#usedTokens > 0) return this.settle();
    const { rateLimits } = this.#services;
    await this.#end(({ home, claim, second }) => rateLimits.withdraw(home, claim, second));
  }

  /**
   * Corrects the reserved tokens to the used ones and frees the parallel place. Does nothing where nothing is claimed.
   * Never fails: a place that cannot be freed lapses.
   */
  async settle(): Promise<void> {
    const { rateLimits } = this.#services;
    const used = this.#hasTokenLimit ? this.#usedTokens : 0;
    await this.#end(({ home, claim, second, kept }) =>
      kept === undefined && claim.tokens === used ? undefined : rateLimits.settle(home, claim, second, used),
    );
  }

  async #end(finish: (counted: CountedClaim) => Promise<void> | undefined): Promise<void> {
    const counted = this.#counted;
    this.#counted = [];
    for (const { kept } of counted) if (kept !== undefined) this.#services.rateLeases.drop(kept);
    await Promise.all(counted.map((one) => finish(one)?.catch(() => {})));
  }

  /** Of a refusal and those that other homes would answer, the one whose limit frees last. */
  async #lastToFree(
    refusal: RateRefusal,
    others: readonly Pick<CountedClaim, 'home' | 'claim'>[],
  ): Promise<RateRefusal> {
    let last = refusal;
    for (const { home, claim } of others) {
      const outcome = await this.#services.rateLimits.look(home, claim).catch(() => undefined);
      if (outcome?.admitted === false && freedAt(outcome) > freedAt(last)) last = outcome;
    }
    return last;
  }
}

/** Tokens that count for a request until it is settled: its input as estimated, and output that it may write. */
export function reservedTokens(prompt: MeasuredPrompt, { rates, inFlightBudget }: Limits): number {
  const { maxOutputTokens }: Pick<CanonicalRequest, 'maxOutputTokens'> = prompt.request;
  const output =
    rates.tokenReservation === 'maximum'
      ? (maxOutputTokens ?? inFlightBudget.outputTokensCap)
      : Math.min(maxOutputTokens ?? rates.tokenReserve, rates.tokenReserve);
  return Math.ceil(prompt.tokens + output);
}

function freedAt({ fitsAt }: RateRefusal): number {
  return fitsAt ?? Number.POSITIVE_INFINITY;
}

/** Whether tokens of a subject are limited. */
export function isTokenLimited({ tokensPerMinute }: RateSubject): boolean {
  return tokensPerMinute !== undefined;
}

/** Whether running requests of a subject are limited. */
export function isParallelLimited({ parallel }: RateSubject): boolean {
  return parallel !== undefined;
}

/** Limited subjects that are counted in one atomic step. */
interface RateGroup {
  /** Where they are counted: an account, or the installation. */
  readonly home: string;
  readonly subjects: readonly RateSubject[];
}

/** The home of the limits of all accounts together. Not the id of an account. */
const serviceHome = 'installation';

/** What is limited about requests of a caller, the account first; undefined without any limit. */
function rateGroups(
  { key, account }: Pick<Caller, 'key' | 'account'>,
  rules: RateRules,
): readonly RateGroup[] | undefined {
  const limit = account.rates === undefined ? rules.account : { ...rules.account, ...account.rates };
  if (!isLimited(limit) && !isLimited(rules.service) && !isKeyLimited(key, rules)) return undefined;
  const ofAccount: RateSubject[] = [];
  if (isKeyLimited(key, rules)) ofAccount.push(keySubject(key, rules));
  if (isLimited(limit)) ofAccount.push({ kind: 'account', id: account.id, ...limit });
  const groups: RateGroup[] = [];
  if (ofAccount.length > 0) groups.push({ home: account.id, subjects: ofAccount });
  if (isLimited(rules.service)) {
    groups.push({ home: serviceHome, subjects: [{ kind: 'service', id: serviceHome, ...rules.service }] });
  }
  return groups;
}

/** The limits in effect for a key: of its own and those of every key, the lower ones. Null is no limit. */
export function ratesInEffect(key: ApiKey, { key: every }: RateRules): KeyRates {
  return {
    requestsPerMinute: lower(key.requestsPerMinute, every.requestsPerMinute),
    tokensPerMinute: lower(key.tokensPerMinute, every.tokensPerMinute),
    parallel: lower(key.parallel, every.parallel),
  };
}

function keySubject(key: ApiKey, rules: RateRules): RateSubject {
  const { requestsPerMinute, tokensPerMinute, parallel } = ratesInEffect(key, rules);
  return {
    kind: 'key',
    id: key.hash,
    requestsPerMinute: requestsPerMinute ?? undefined,
    tokensPerMinute: tokensPerMinute ?? undefined,
    parallel: parallel ?? undefined,
  };
}

function isKeyLimited(key: ApiKey, rules: RateRules): boolean {
  return (
    key.requestsPerMinute !== null ||
    key.tokensPerMinute !== null ||
    key.parallel !== null ||
    isLimited(rules.key)
  );
}

function isLimited({ requestsPerMinute, tokensPerMinute, parallel }: RateLimit): boolean {
  return requestsPerMinute !== undefined || tokensPerMinute !== undefined || parallel !== undefined;
}

function lower(one: number | null, other: number = Number.POSITIVE_INFINITY): number | null {
  const least = Math.min(one ?? Number.POSITIVE_INFINITY, other);
  return least === Number.POSITIVE_INFINITY ? null : least;
}
