import type { Price } from './catalogue.ts';

/** Whether reading a prompt from a cache costs less than reading it anew; false where nobody stated a price. */
export function savesByCache(price: Price | undefined): boolean {
  return price?.cacheRead !== undefined && price.cacheRead < price.prompt;
}
