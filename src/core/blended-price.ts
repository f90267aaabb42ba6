import type { Price } from './catalogue.ts';

/**
 * The price by which endpoints are compared (docs/spec/routing.md#load-balancing), in USD per million tokens: three
 * parts prompt to one part completion, plus a thousand times the price per request. Infinite without a price, so that
 * such endpoints come last.
 */
export function blendedPrice(price: Price | undefined): number {
  if (price === undefined) return Number.POSITIVE_INFINITY;
  return Number(3n * price.prompt + price.completion) / 4e6 + Number(price.request ?? 0n) / 1e9;
}
