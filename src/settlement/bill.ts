import type { Endpoint } from '../core/catalogue.ts';
import type { CanonicalRequest } from '../core/request.ts';
import { totalInput, type Usage } from '../core/usage.ts';
import { type Cost, costOfUsage, noCost } from './cost.ts';
import { estimateInputTokens, tokensOfBytes } from './estimate.ts';
import type { Meter } from './meter.ts';
import { priceInEffect } from './price-in-effect.ts';

/** How a call ended. */
export type Ending = 'finished' | 'failed' | 'cancelled';

/** What a call is charged and on what grounds. */
export interface Bill {
  readonly usage: Usage;
  readonly cost: Cost;
  /** A count the cost rests on was not reported and had to be estimated. */
  readonly estimated: boolean;
  /** Nothing is charged because the provider failed (accounts-and-limits 13.8). */
  readonly insured: boolean;
}

/**
 * Makes the bill of a call that reached an endpoint (accounts-and-limits 13.8 to 13.10). A failed call is
 * insured; one that ended or was cancelled pays for what was reported, and where a count is missing for an
 * estimate that is marked as such: never silently nothing.
 * @param beganAt When the request began, Unix milliseconds.
 */
export function makeBill(
  meter: Meter,
  ending: Ending,
  endpoint: Endpoint,
  request: CanonicalRequest,
  beganAt: number,
): Bill {
  const reported = meter.usage ?? {};
  const nothingCame =
    meter.finishReason === undefined && meter.outputBytes === 0 && (reported.output ?? 0) === 0;
  if (ending === 'failed' || (ending === 'finished' && nothingCame)) {
    return { usage: reported, cost: noCost, estimated: false, insured: true };
  }
  const { usage, estimated } = completeUsage(reported, meter, request);
  const price = endpoint.price && priceInEffect(endpoint.price, totalInput(usage) ?? 0, beganAt);
  const cost = price === undefined ? noCost : costOfUsage(usage, price);
  return { usage, cost, estimated, insured: false };
}

function completeUsage(reported: Usage, meter: Meter, request: CanonicalRequest) {
  const inputMissing = totalInput(reported) === undefined;
  const outputMissing = reported.output === undefined;
  const usage: Usage = {
    ...reported,
    ...(inputMissing ? { uncachedInput: estimateInputTokens(request) } : {}),
    ...(outputMissing ? { output: tokensOfBytes(meter.outputBytes) } : {}),
  };
  return { usage, estimated: inputMissing || outputMissing };
}
