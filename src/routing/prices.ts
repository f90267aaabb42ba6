import { blendedPrice } from '../core/blended-price.ts';
import type { Endpoint, Price } from '../core/catalogue.ts';
import { priceInEffect } from '../core/price-in-effect.ts';
import type { EndpointFacts } from './collect-endpoints.ts';
import type { PromptSize, RoutingSnapshot } from './route-plan.ts';

/** What decides which of an endpoint's prices applies. */
export type PricedMoment = Pick<RoutingSnapshot, 'prompt' | 'now'>;

/**
 * The prices of an endpoint for this prompt at this time (docs/spec/catalogue.md#prices); undefined when none is
 * stated.
 */
export function priceFor({ price }: Endpoint, { prompt, now }: PricedMoment): Price | undefined {
  if (price?.overrides === undefined) return price;
  const smallest = Math.min(
    ...price.overrides.map(({ minPromptTokens }) => minPromptTokens ?? Number.POSITIVE_INFINITY),
  );
  // Skips counting where no count could make a difference.
  const tokens = exceeds(prompt, smallest) ? prompt.tokens : 0;
  return priceInEffect(price, tokens, now);
}

/** `blendedPrice` for this prompt at this time. */
export function comparedPrice(facts: EndpointFacts, moment: PricedMoment): number {
  const { endpoint, price } = facts;
  return endpoint.price?.overrides === undefined ? price : blendedPrice(priceFor(endpoint, moment));
}

/** Whether a prompt is longer than a number of tokens; counts only if the upper bound does not decide. */
export function exceeds(prompt: PromptSize, tokens: number): boolean {
  return prompt.atMost > tokens && prompt.tokens > tokens;
}
