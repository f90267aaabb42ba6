import type { Endpoint, Model, Price } from '../core/catalogue.ts';
import type { HeadgateError } from '../core/errors.ts';
import type { HostedKind } from '../core/hosted.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { Limits } from '../core/limits.ts';
import { type NanoUsd, roundToNano, zeroUsd } from '../core/money.ts';
import { priceInEffect } from '../core/price-in-effect.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProviderCredential } from '../ports/credentials.ts';
import type { FullLimit, LimitShare, LimitTerms } from '../ports/in-flight-budget.ts';
import type { Caller } from './caller.ts';
import { type CallerLimit, limitsOf, sharesOf } from './caller-limits.ts';
import { isFreeOfCharge } from './free-of-charge.ts';
import type { LimitWaits, WaitingTurn } from './limit-waits.ts';
import type { MeasuredCall, MeasuredCalls } from './measured-calls.ts';
import type { MeasuredPrompt } from './measured-prompt.ts';
import { type CallSize, outputAtMost } from './worst-case-cost.ts';

/** Whether a limit has let a request begin: shared by all its turns. */
export interface LimitPass {
  isBegun: boolean;
}

/** Whose request it is, and what it asks for. */
export interface LimitFacts {
  readonly request: Pick<InferenceRequest, 'canonical'>;
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

function offers({ tools }: CanonicalRequest, kind: HostedKind): boolean {
  return tools.some((tool) => tool.kind === 'hosted' && tool.tool === kind);
}
