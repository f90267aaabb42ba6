import type { Endpoint } from '../core/catalogue.ts';
import type { ServedTier } from '../core/delta.ts';
import type { HeadgateError } from '../core/errors.ts';
import type { NanoUsd } from '../core/money.ts';
import { priceInEffect } from '../core/price-in-effect.ts';
import { type ImplausibleCount, totalInput, type Usage } from '../core/usage.ts';
import { type Cost, costOfUsage, noCost } from './cost.ts';
import type { MeasuredPrompt } from './measured-prompt.ts';
import type { Meter } from './meter.ts';
import { plausibleUsage, type ServedBy } from './plausible-usage.ts';

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
export interface Served extends ServedBy {
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
