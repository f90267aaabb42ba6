import { fitCallId } from './fit-call-id.ts';

/** The smallest limit of any provider with cache keys. */
const longestCacheKey = 64;

/**
 * Shortens the cache key (`prompt_cache_key`) to what providers accept; the same key gives the same result.
 */
export function fitCacheKey(key: string | undefined): string | undefined {
  return key === undefined ? undefined : fitCallId(key, longestCacheKey);
}
