import { fitCallId } from './fit-call-id.ts';

/** Of all who know such keys nobody takes fewer, and some take no more. */
const longestCacheKey = 64;

/** The key of a cached prefix (`prompt_cache_key`) within what providers take, the same for the same key. */
export function fitCacheKey(key: string | undefined): string | undefined {
  return key === undefined ? undefined : fitCallId(key, longestCacheKey);
}
