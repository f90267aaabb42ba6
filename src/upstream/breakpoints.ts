import type { CacheControl, CanonicalRequest } from '../core/request.ts';

/** The ends of cacheable prefixes a request marks, its own last. */
export function breakpointsOf({ items, cacheControl }: CanonicalRequest): readonly CacheControl[] {
  const marked = items.flatMap((item) => {
    const parts = item.kind === 'message' ? item.content : item.kind === 'call_output' ? item.output : [];
    return parts.flatMap((part) => ('cacheControl' in part && part.cacheControl ? part.cacheControl : []));
  });
  return cacheControl === undefined ? marked : [...marked, cacheControl];
}
