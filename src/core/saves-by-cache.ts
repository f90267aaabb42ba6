import type { Price } from './catalogue.ts';

/** Whether reading a prompt from a cache costs less than reading it again; false without a known price. */
export function savesByCache(price: Price | undefined): boolean {
  return price?.cacheRead !== undefined && price.cacheRead < price.prompt;
}
