import type { ListCost } from '../core/answer-part.ts';
import type { Endpoint, Model, Price } from '../core/catalogue.ts';
import type { ServedTier } from '../core/delta.ts';
import type { HeadgateError } from '../core/errors.ts';
import { type NanoUsd, type PicoUsd, roundToNano, zeroUsd } from '../core/money.ts';
import { priceInEffect } from '../core/price-in-effect.ts';
import { type ImplausibleCount, totalInput, type Usage, usesCache } from '../core/usage.ts';
import type { MeasuredPrompt } from './measured-prompt.ts';
import type { Meter } from './meter.ts';
import { plausibleUsage, type ServedBy } from './plausible-usage.ts';

/** What a call costs, in nano-USD. `total` is summed exactly and rounded once; the others are for display. */
export interface Cost extends ListCost {
  /** What the input would cost without a cache, less what it does cost: negative when it was only written to one. */
  readonly cacheDiscount: NanoUsd;
}

/** The pictures of a call, which some endpoints bill by the piece. */
export interface Pictures {
  readonly input: number;
  readonly output: number;
}

/** The cost of a call that is not charged. */
export const noCost: Cost = { total: zeroUsd, input: zeroUsd, output: zeroUsd, cacheDiscount: zeroUsd };

/**
 * Prices one call (docs/spec/money.md#cost): each input class at its own price or, without one, at the
 * prompt price; reasoning inside output, apart only when it has its own price; pictures and searches by the piece
 * where they have a price; the request price once. Summed exactly and rounded half up once.
 */
export function costOfUsage(usage: Usage, price: Price, pictures?: Pictures): Cost {
  const tokens = inputAmount(usage, price);
  const input = tokens + amount(pictures?.input, price.image ?? free);
  const output = outputAmount(usage, price) + amount(pictures?.output, price.imageOutput ?? free);
  const rest = amount(usage.webSearches, price.webSearch ?? free) + (price.request ?? free);
  return {
    total: roundToNano(input + output + rest),
    input: roundToNano(input),
    output: roundToNano(output),
    cacheDiscount: usesCache(usage) ? roundToNano(withoutCache(usage, price) - tokens) : zeroUsd,
  };
}

const free = 0n as PicoUsd;

function inputAmount(usage: Usage, price: Price): bigint {
  const pictures = Math.min(usage.imageInput ?? 0, usage.uncachedInput ?? 0);
  const rest = usage.uncachedInput === undefined ? undefined : usage.uncachedInput - pictures;
  const audio = price.audioInput ?? price.prompt;
  return (
    amount(rest, price.prompt) +
    amount(pictures, price.imageToken ?? price.prompt) +
    amount(usage.cacheRead, price.cacheRead ?? price.prompt) +
    amount(usage.cacheWrite, price.cacheWrite ?? price.prompt) +
    amount(usage.cacheWriteLong, price.cacheWriteLong ?? price.cacheWrite ?? price.prompt) +
    amount(usage.audioInput, audio) +
    amount(usage.audioCacheRead, price.audioCacheRead ?? audio)
  );
}

function withoutCache(usage: Usage, price: Price): bigint {
  const { cacheRead = 0, cacheWrite = 0, cacheWriteLong = 0, audioInput = 0, audioCacheRead = 0 } = usage;
  const uncachedInput = (usage.uncachedInput ?? 0) + cacheRead + cacheWrite + cacheWriteLong;
  const { imageInput } = usage;
  return inputAmount({ uncachedInput, imageInput, audioInput: audioInput + audioCacheRead }, price);
}

function outputAmount(usage: Usage, price: Price): bigint {
  const { output = 0 } = usage;
  const pictures = Math.min(usage.imageOutput ?? 0, output);
  const picture = price.imageOutput === undefined ? (price.imageOutputToken ?? price.completion) : free;
  const audio = Math.min(usage.audioOutput ?? 0, output - pictures);
  const reasoning = Math.min(usage.reasoning ?? 0, output - pictures - audio);
  return (
    amount(output - pictures - audio - reasoning, price.completion) +
    amount(pictures, picture) +
    amount(audio, price.audioOutput ?? price.completion) +
    // A price of nothing for reasoning is none of its own.
    amount(reasoning, price.reasoning || price.completion)
  );
}

function amount(count: number | undefined, price: PicoUsd): bigint {
  return count ? BigInt(count) * price : 0n;
}

/** How a call ended. */
export type Ending =
  | 'finished'
  | 'failed'
  | 'cancelled'
  /** A total limit of the gateway ended it, not its provider. */
  | 'timed_out';

/** How a call ended that failed: a total limit of the gateway's own ended what its provider was making. */
export function endingOfFailure({ code, metadata }: HeadgateError): Ending {
  const isOwn = code === 'deadline_exceeded' || metadata.provider_code === 'total_timeout';
  return isOwn ? 'timed_out' : 'failed';
}

/** What a call is charged and on what grounds. */
export interface Bill {
  readonly usage: Usage;
  /** At list prices. */
  readonly cost: Cost;
  /** A count the cost rests on was not reported and had to be estimated. */
  readonly estimated: boolean;
  /** Nothing is charged because the provider failed (docs/spec/money.md#calls-that-cost-nothing). */
  readonly insured: boolean;
  /** Nobody stated what the endpoint costs: the cost is unknown, not zero. */
  readonly unpriced: boolean;
  /** Which reported counts could not be true and were estimated instead. */
  readonly implausible?: readonly ImplausibleCount[];
  /** Pictures in the answer that count. */
  readonly pictures: number;
}

/** A bill as it was booked. */
export interface SettledBill extends Bill {
  /** Credits charged: the cost or, where an own provider credential served, the fee on it. */
  readonly charge: NanoUsd;
  readonly isByok: boolean;
}

/** Who served a call, and when it began in Unix milliseconds. */
interface Served extends ServedBy {
  readonly beganAt: number;
  /** Tokens that were probably made besides what came, of a call that did not end by itself. */
  readonly unseen?: number;
}

/**
 * Makes the bill of a call that reached an endpoint (docs/spec/money.md#cost,
 * docs/spec/money.md#calls-that-cost-nothing, docs/spec/money.md#missing-usage). A failed call is insured; one that
 * ended, or that client or gateway ended, pays for what was reported, and where a count is missing for an estimate that is marked as
 * such: never silently nothing.
 */
export function makeBill(meter: Meter, ending: Ending, served: Served, prompt: MeasuredPrompt): Bill {
  const judged = plausibleUsage(meter.usage ?? {}, meter, prompt, served);
  const { usage: reported, pictures, implausible } = judged;
  const nothingCame = meter.finishReason === undefined && meter.silent && (reported.output ?? 0) === 0;
  if (ending === 'failed' || (ending === 'finished' && nothingCame)) {
    const nothing = { cost: noCost, estimated: false, insured: true, unpriced: false };
    return { usage: reported, pictures, implausible, ...nothing };
  }
  const { usage, isComplete } = completeUsage(reported, meter, prompt, served.unseen);
  const listed = endpointOfTier(served, meter.tier).price;
  const price = listed && priceInEffect(listed, totalInput(usage) ?? 0, served.beganAt);
  const seen = { input: prompt.media.pictures, output: pictures };
  const cost = price === undefined ? noCost : costOfUsage(usage, price, seen);
  const estimated = !isComplete || implausible !== undefined;
  return { usage, pictures, cost, estimated, insured: false, unpriced: price === undefined, implausible };
}

/**
 * The endpoint whose price counts: the tier that served decides, not the one asked for
 * (docs/spec/money.md#the-tier-that-served). A tier nobody listed, or priced, pays the price of the endpoint that was
 * asked.
 */
function endpointOfTier({ model, endpoint }: Served, tier: ServedTier | undefined): Endpoint {
  if (tier === undefined || tier === endpoint.tier) return endpoint;
  const twin = model.endpoints.find(
    (other) =>
      other.tier === tier &&
      other.price !== undefined &&
      other.provider === endpoint.provider &&
      other.upstreamModel === endpoint.upstreamModel,
  );
  return twin ?? endpoint;
}

function completeUsage(reported: Usage, meter: Meter, prompt: MeasuredPrompt, unseen = 0) {
  // No prompt has no tokens, nor has a text: who says so did not count.
  const inputMissing = !totalInput(reported);
  const written = reported.output ? 0 : Math.max(meter.estimateOutputTokens(), unseen);
  const outputMissing = reported.output === undefined || written > 0;
  if (!inputMissing && !outputMissing) return { usage: reported, isComplete: true };
  const usage: Usage = {
    ...reported,
    ...(inputMissing ? { uncachedInput: prompt.tokens } : {}),
    ...(outputMissing ? { output: written } : {}),
  };
  return { usage, isComplete: false };
}

/** Whether a model id names a free variant, which is counted instead of charged (docs/spec/money.md#free-variants). */
export function isFreeVariant(model: Pick<Model, 'id'>): boolean {
  return model.id.endsWith(':free');
}

/** Whether calling an endpoint costs the caller nothing: a free variant, or one whose every price is zero. */
export function isFreeOfCharge(model: Pick<Model, 'id'>, endpoint: Endpoint): boolean {
  return isFreeVariant(model) || (endpoint.price !== undefined && isZero(endpoint.price));
}

/** Whether a model costs nothing wherever it is served. */
export function isFreeEverywhere(model: Model): boolean {
  return model.endpoints.every((endpoint) => isFreeOfCharge(model, endpoint));
}

function isZero(price: Price): boolean {
  // Most prices end here, at every request.
  if (price.prompt !== 0n || price.completion !== 0n) return false;
  if (price.overrides !== undefined && price.overrides.length > 0) return false;
  return Object.values(price).every((amount) => typeof amount !== 'bigint' || amount === 0n);
}
