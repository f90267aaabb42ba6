import type { Endpoint, Model, Price } from '../core/catalogue.ts';
import type { HeadgateError } from '../core/errors.ts';
import type { HostedKind } from '../core/hosted.ts';
import type { AnyRequest } from '../core/inference-request.ts';
import type { SpendCalendar } from '../core/limit-calendar.ts';
import type { Limits } from '../core/limits.ts';
import { type NanoUsd, roundToNano, sumUsd, zeroUsd } from '../core/money.ts';
import { priceInEffect } from '../core/price-in-effect.ts';
import { type CanonicalRequest, chatOf } from '../core/request.ts';
import type { BudgetInterval } from '../ports/budgets.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProviderCredential } from '../ports/credentials.ts';
import type { FullLimit, LimitShare, LimitTerms } from '../ports/in-flight-budget.ts';
import { dayLength } from '../util/utc-windows.ts';
import { budgetExceeded, nameOfBudget, sourceOfBudget, spentOfBudget, spentOfLimit } from './admit.ts';
import type { Caller, CallerBudget } from './caller.ts';
import { isFreeOfCharge } from './cost.ts';
import type { LimitWaits, WaitingTurn } from './limit-waits.ts';
import type { MeasuredCall, MeasuredCalls } from './measured-calls.ts';
import type { MeasuredPrompt } from './measured-prompt.ts';
import { keyLimitReached, limitReserved } from './refusals.ts';
import { type CallSize, outputAtMost } from './worst-case-cost.ts';

/** Whether a limit has let a request begin: shared by all its turns. */
export interface LimitPass {
  isBegun: boolean;
}

/** Whose request it is, and what it asks for. */
export interface LimitFacts {
  readonly request: Pick<AnyRequest, 'canonical'>;
  readonly caller: Caller;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  /** Undefined where no limit concerns the request, or where this is all of it. */
  readonly limitPass?: LimitPass;
  /** Aborted when the request is over: then it waits for nothing. */
  readonly signal?: AbortSignal;
}

/** Where a request would go. */
export interface LimitTarget {
  readonly model: Model;
  readonly endpoint: Endpoint;
  /** The account's own provider credential that pays. */
  readonly credential?: ProviderCredential;
}

/** What holding limits needs from outside. */
export interface LimitServices {
  readonly clock: Clock;
  readonly limits: () => Limits;
  /** What calls of keys with limits were like. */
  readonly measuredCalls: MeasuredCalls;
  readonly limitWaits: LimitWaits;
}

/** Seconds that a refused request is advised to wait, at least and at most. */
const shortestRetry = 1;
const longestRetry = 10;

/** What one request holds of the limits of its caller, and its wait for them (docs/spec/money.md#held-limits). */
export class HeldLimits {
  readonly #facts: LimitFacts;
  readonly #prompt: MeasuredPrompt;
  readonly #services: LimitServices;
  readonly #limits: readonly CallerLimit[];
  #target: LimitTarget | undefined;
  #cost: NanoUsd = zeroUsd;
  #deadline: number | undefined;
  #turn: WaitingTurn | undefined;

  private constructor(
    facts: LimitFacts,
    prompt: MeasuredPrompt,
    services: LimitServices,
    limits: readonly CallerLimit[],
  ) {
    this.#facts = facts;
    this.#prompt = prompt;
    this.#services = services;
    this.#limits = limits;
  }

  /** Undefined where nothing limits the caller. */
  static of(facts: LimitFacts, prompt: MeasuredPrompt, services: LimitServices): HeldLimits | undefined {
    const limits = limitsOf(facts.caller);
    return limits && new HeldLimits(facts, prompt, services, limits);
  }

  /** What a request needs of each limit at an endpoint; undefined where it costs nothing of any. */
  termsAt(target: LimitTarget): readonly LimitTerms[] | undefined {
    const isOwn = target.credential !== undefined;
    // Of what own credentials serve only a fee is charged, which is not held.
    if (isOwn && !this.#limits.some(({ includeByok }) => includeByok)) return undefined;
    const cost = this.#costAt(target);
    return cost === zeroUsd ? undefined : this.terms(cost, isOwn);
  }

  /** What something that costs so much needs of each limit. @param isOwn Whether an own credential pays for it. */
  terms(cost: NanoUsd, isOwn = false): readonly LimitTerms[] {
    const now = this.#services.clock.now();
    return this.#limits.map(({ id, limit, windowAt, includeByok, spent }) => ({
      id,
      limit,
      window: windowAt(now),
      spent: spent(),
      amount: isOwn && !includeByok ? zeroUsd : cost,
    }));
  }

  /** Why a request is refused; `mayWait` where only running requests are in its way. */
  refusal({ limit: id, spent }: FullLimit): { readonly error: HeadgateError; readonly mayWait: boolean } {
    const limit = this.#limits.find((one) => one.id === id) ?? this.#limits[0];
    if (limit === undefined) throw new Error(`no limit has the id ${id}`);
    if (spent >= limit.limit) {
      return { error: limit.usedUp(spent, this.#services.clock.now()), mayWait: false };
    }
    return { error: limit.reserved(spent, this.#retryAfter()), mayWait: true };
  }

  /** Waits until it is worth to try again; false when the request has waited long enough or is over. */
  async waitFor({ limit }: FullLimit): Promise<boolean> {
    const { limitWaits } = this.#services;
    this.#deadline ??= limitWaits.deadline();
    if (this.#turn?.limit !== limit) {
      this.#turn?.leave();
      const { caller, signal } = this.#facts;
      this.#turn = limitWaits.enter(caller.account.id, limit, { deadline: this.#deadline, signal });
    }
    return (await this.#turn?.next()) ?? false;
  }

  /** Stops to wait, if it does. */
  stopWaiting(): void {
    this.#turn?.leave();
    this.#turn = undefined;
  }

  /** What a charge takes of each limit. @param byokCost The list cost of what an own credential served. */
  sharesOf(charge: NanoUsd, byokCost: NanoUsd, settledAt: number): readonly LimitShare[] {
    return sharesOf(this.#limits, charge, { byokCost, settledAt });
  }

  /** Retried after about the time that such calls take. */
  #retryAfter(): number {
    const time = this.#target && this.#measured(this.#target)?.time;
    return Math.min(longestRetry, Math.max(shortestRetry, Math.ceil((time ?? 0) / 1000)));
  }

  #costAt(target: LimitTarget): NanoUsd {
    if (target === this.#target) return this.#cost;
    const { model, endpoint } = target;
    const { receivedAt: beganAt, request } = this.#facts;
    const { outputTokensCap } = this.#services.limits().inFlightBudget;
    const size = { maxOutputTokens: request.canonical.maxOutputTokens, outputTokensCap, beganAt };
    this.#cost = isFreeOfCharge(model, endpoint)
      ? zeroUsd
      : expectedCost(endpoint, this.#prompt, size, this.#measured(target));
    this.#target = target;
    return this.#cost;
  }

  #measured({ model }: LimitTarget) {
    return this.#services.measuredCalls.of(this.#facts.caller.key.hash, model.id);
  }
}

/** Tokens that a picture is taken for, and a document or a sound. */
const tokensOfPicture = 1_600;
const tokensOfDocument = 2_000;

/**
 * What a call is expected to cost at an endpoint by its list, for what it holds of limits (docs/spec/money.md#held-limits):
 * tokens, the request, pictures and searches. Without measurements no cache is presumed to help, and all the output it may
 * make is counted.
 * @param measured What such calls were like.
 */
export function expectedCost(
  endpoint: Endpoint,
  prompt: MeasuredPrompt,
  size: Omit<CallSize, 'inputTokens'>,
  measured: MeasuredCall | undefined,
): NanoUsd {
  if (endpoint.price === undefined) return zeroUsd;
  const { pictures, documents, sounds } = prompt.media;
  const media = tokensOfPicture * pictures + tokensOfDocument * (documents + sounds);
  const input = prompt.tokens + media;
  const price = priceInEffect(endpoint.price, input, size.beganAt);
  const most = outputAtMost(endpoint, size);
  const cached = Math.floor(input * (measured?.cachedShare ?? 0));
  const output = measured === undefined ? most : Math.min(most, measured.output);
  return roundToNano(
    BigInt(input - cached) * price.prompt +
      BigInt(cached) * (price.cacheRead ?? price.prompt) +
      BigInt(output) * price.completion +
      piecesOf(prompt.request, pictures, price),
  );
}

/** What is paid by the piece: the request, its pictures, one that is made, and one search where it may search. */
function piecesOf(request: CanonicalRequest, pictures: number, price: Price): bigint {
  const { request: once = 0n, image = 0n, imageOutput = 0n, webSearch = 0n } = price;
  const made = imageOutput > 0n ? 1n : 0n;
  const searches = webSearch > 0n && offers(request, 'web_search') ? 1n : 0n;
  return once + BigInt(pictures) * image + made * imageOutput + searches * webSearch;
}

function offers(request: CanonicalRequest, kind: HostedKind): boolean {
  return chatOf(request)?.tools.some((tool) => tool.kind === 'hosted' && tool.tool === kind) === true;
}

/** A limit of what a caller may spend: a budget, or the limit of the key. */
interface CallerLimit {
  /** Names it within its account. */
  readonly id: string;
  readonly limit: NanoUsd;
  /** Whether the list cost of what own provider credentials served counts. */
  readonly includeByok: boolean;
  /** The number of its window that holds a moment in Unix milliseconds, for `LimitShare`. */
  readonly windowAt: (moment: number) => number;
  /** What was spent of it in its window, as it is known at this moment. */
  readonly spent: () => NanoUsd;
  /** @param now Unix milliseconds. */
  readonly usedUp: (spent: NanoUsd, now: number) => HeadgateError;
  /** @param retryAfter In seconds. */
  readonly reserved: (spent: NanoUsd, retryAfter: number) => HeadgateError;
}

/** Whether anything limits what a caller may spend. */
export function hasLimits({ key, budgets }: Caller): boolean {
  return key.limit !== null || budgets !== undefined;
}

/** What a charge takes of each limit. @param byokCost The list cost of what an own credential served. */
function sharesOf(
  limits: readonly CallerLimit[],
  charge: NanoUsd,
  { byokCost = zeroUsd, settledAt }: { readonly byokCost?: NanoUsd; readonly settledAt: number },
): readonly LimitShare[] {
  return limits.map(({ id, windowAt, includeByok }) => ({
    id,
    window: windowAt(settledAt),
    amount: includeByok ? sumUsd(charge, byokCost) : charge,
  }));
}

/** The limits of a caller in the order in which they refuse: budgets, then that of the key; undefined without any. */
export function limitsOf(caller: Caller): readonly CallerLimit[] | undefined {
  if (!hasLimits(caller)) return undefined;
  const { key, budgets } = caller;
  const limits = new Map<string, CallerLimit>();
  for (const budget of budgets ?? []) {
    const limit = limitOfBudget(budget, caller.calendar);
    const known = limits.get(limit.id);
    // Two guardrails may limit the same spending: what fits the smaller one fits both.
    if (known === undefined || limit.limit < known.limit) limits.set(limit.id, limit);
  }
  if (key.limit !== null) {
    const own = limitOfKey(caller, key.limit);
    limits.set(own.id, own);
  }
  return limits.size === 0 ? undefined : [...limits.values()];
}

/** Windows are counted in UTC days from 1970, with a fraction where one begins within a day. */
function numberedBy(calendar: SpendCalendar, interval: BudgetInterval): CallerLimit['windowAt'] {
  if (interval === 'lifetime') return () => 0;
  return (moment) => calendar.windowsAt(moment)[interval].start / dayLength;
}

function limitOfBudget(budget: CallerBudget, calendar: SpendCalendar): CallerLimit {
  const { scope, subject, interval, limit, includeByok } = budget;
  return {
    id: `${scope}/${subject}/${interval}${includeByok ? '+' : ''}`,
    limit,
    includeByok,
    windowAt: numberedBy(calendar, interval),
    spent: () => spentOfBudget(budget, budget.spend()),
    usedUp: (spent, now) => budgetExceeded(budget, spent, calendar.windowsAt(now)),
    reserved: (spent, retryAfter) =>
      limitReserved(nameOfBudget(budget), sourceOfBudget(budget), { limit, spent, retryAfter, scope }),
  };
}

function limitOfKey(caller: Caller, limit: NanoUsd): CallerLimit {
  const { key } = caller;
  const name =
    key.limitReset === null ? 'the limit of the API key' : `the ${key.limitReset} limit of the API key`;
  return {
    id: `limit/${key.hash}/${key.limitReset ?? 'lifetime'}${key.includeByokInLimit ? '+' : ''}`,
    limit,
    includeByok: key.includeByokInLimit,
    windowAt: numberedBy(caller.calendar, key.limitReset ?? 'lifetime'),
    spent: () => spentOfLimit(key, caller.spend),
    usedUp: () => keyLimitReached(key),
    reserved: (spent, retryAfter) => limitReserved(name, 'service_key_limit', { limit, spent, retryAfter }),
  };
}
