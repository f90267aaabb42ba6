import type { Endpoint } from '../core/catalogue.ts';
import { type NanoUsd, roundToNano, zeroUsd } from '../core/money.ts';
import { priceInEffect } from '../core/price-in-effect.ts';

/** What decides how much a call may cost. */
export interface CallSize {
  readonly inputTokens: number;
  /** As the request limits it; undefined when it does not. */
  readonly maxOutputTokens: number | undefined;
  /** Output presumed at most, whatever the request says. */
  readonly outputTokensCap: number;
  /** When the request began, Unix milliseconds. */
  readonly beganAt: number;
}

/**
 * What the tokens of a call may cost at an endpoint (docs/spec/money.md#estimates): the whole input at
 * the prompt price, for no cache is presumed to help, and all the output it may make. Pictures, searches and the
 * price of a request are left out.
 */
export function worstCaseCost(endpoint: Endpoint, size: CallSize): NanoUsd {
  const { price } = endpoint;
  if (price === undefined) return zeroUsd;
  const { inputTokens, beganAt } = size;
  const output = outputAtMost(endpoint, size);
  const { prompt, completion } = priceInEffect(price, inputTokens, beganAt);
  return roundToNano(BigInt(inputTokens) * prompt + BigInt(output) * completion);
}

/** The most output that is presumed of a call at an endpoint, in tokens. */
export function outputAtMost(
  { maxCompletionTokens }: Pick<Endpoint, 'maxCompletionTokens'>,
  { maxOutputTokens, outputTokensCap }: Pick<CallSize, 'maxOutputTokens' | 'outputTokensCap'>,
): number {
  return Math.min(
    maxOutputTokens ?? outputTokensCap,
    outputTokensCap,
    maxCompletionTokens ?? outputTokensCap,
  );
}
