import type { CacheControl, CanonicalRequest } from '../core/request.ts';

/** The cache breakpoints that a request marks, its own last. */
export function breakpointsOf({ items, cacheControl }: CanonicalRequest): readonly CacheControl[] {
  const marked = items.flatMap((item) => {
    const parts = item.kind === 'message' ? item.content : item.kind === 'call_output' ? item.output : [];
    return parts.flatMap((part) => ('cacheControl' in part && part.cacheControl ? part.cacheControl : []));
  });
  return cacheControl === undefined ? marked : [...marked, cacheControl];
}

/**
 * Whether a longer prefix has a longer lifetime than a shorter one. Claude refuses that, so both are kept for an
 * hour.
 */
export function prolongsPrefixes(request: CanonicalRequest): boolean {
  const lives = breakpointsOf(request).map(({ ttl }) => ttl);
  return lives.includes('5m') && lives.indexOf('5m') < lives.lastIndexOf('1h');
}
