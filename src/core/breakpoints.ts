import { isObject } from '../util/json.ts';
import type { CacheControl, CanonicalChat, Tool } from './request.ts';

/** The cache breakpoint after a tool. */
export function breakpointOfTool(tool: Tool): CacheControl | undefined {
  if (tool.kind !== 'function') return undefined;
  if (tool.cacheControl !== undefined) return tool.cacheControl;
  const mark = tool.extra?.cache_control;
  return isObject(mark) ? { ttl: mark.ttl === '1h' ? '1h' : '5m' } : undefined;
}

/** The cache breakpoints that a request marks, in the order of the prefix: those of tools first, its own last. */
export function breakpointsOf({ tools, items, cacheControl }: CanonicalChat): readonly CacheControl[] {
  const ofTools = tools.flatMap((tool) => breakpointOfTool(tool) ?? []);
  const ofItems = items.flatMap((item) => {
    if (item.kind === 'call') return item.cacheControl ?? [];
    const parts = item.kind === 'message' ? item.content : item.kind === 'call_output' ? item.output : [];
    return parts.flatMap((part) => ('cacheControl' in part && part.cacheControl ? part.cacheControl : []));
  });
  return [...ofTools, ...ofItems, ...(cacheControl === undefined ? [] : [cacheControl])];
}

/**
 * Whether a longer prefix has a longer lifetime than a shorter one. Claude refuses that, so both are kept for an
 * hour.
 */
export function prolongsPrefixes(request: CanonicalChat): boolean {
  const lives = breakpointsOf(request).map(({ ttl }) => ttl);
  return lives.includes('5m') && lives.indexOf('5m') < lives.lastIndexOf('1h');
}

const minute = 60_000;
/** No provider keeps a prefix longer. */
const longestCache = 24 * 60 * minute;

/** Milliseconds for which a request wants its prefixes kept; 0 where it does not say. */
export function cacheLifetime(request: CanonicalChat | undefined): number {
  if (request === undefined) return 0;
  const marked = breakpointsOf(request).map(({ ttl }) => (ttl === '1h' ? 60 * minute : 5 * minute));
  const [, count = '0', unit] = /^(\d{1,6})([smh])$/.exec(request.promptCacheOptions?.ttl ?? '') ?? [];
  const units = { s: minute / 60, m: minute, h: 60 * minute };
  const asked = Number(count) * units[(unit ?? 's') as keyof typeof units];
  return Math.min(
    longestCache,
    marked.reduce((most, one) => Math.max(most, one), asked),
  );
}
