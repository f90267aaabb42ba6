import type { CacheControl, CanonicalRequest } from '../core/request.ts';

/** The ends of cacheable prefixes a request marks, its own last. */
export function breakpointsOf({ items, cacheControl }: CanonicalRequest): readonly CacheControl[] {
  const marked = items.flatMap((item) => {
    const parts = item.kind === 'message' ? item.content : item.kind === 'call_output' ? item.output : [];
    return parts.flatMap((part) => ('cacheControl' in part && part.cacheControl ? part.cacheControl : []));
  });
  return cacheControl === undefined ? marked : [...marked, cacheControl];
}

/** Whether a prefix is to be kept longer than one it begins with, which Claude refuses: both are kept for an hour. */
export function prolongsPrefixes(request: CanonicalRequest): boolean {
  const lives = breakpointsOf(request).map(({ ttl }) => ttl);
  return lives.includes('5m') && lives.indexOf('5m') < lives.lastIndexOf('1h');
}
