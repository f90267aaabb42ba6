import type { CacheControl, ContentPart } from '../../core/request.ts';
import { choice, optional, type Static, Type, text } from '../../util/json-schema.ts';

/** `cache_control`: where a cacheable prefix ends, on a block or, for the last one, on the request. */
export const CacheControlSchema = Type.Object({
  type: choice('ephemeral'),
  ttl: optional(choice('5m', '1h')),
});

/** `prompt_cache_options`: only blocks with a `prompt_cache_breakpoint` end a prefix (docs/spec/requests.md#fields). */
export const PromptCacheOptionsSchema = Type.Object({
  mode: choice('explicit'),
  ttl: optional(text()),
});

/** `prompt_cache_breakpoint` of a content block (docs/spec/requests.md#content-parts). */
const CacheBreakpointSchema = Type.Object({ mode: choice('explicit') });

/** The members every content block may end a cacheable prefix with. */
export const cacheMembers = {
  cache_control: optional(CacheControlSchema),
  prompt_cache_breakpoint: optional(CacheBreakpointSchema),
};

/** What a request says about caching as a whole: set when only explicit breakpoints count. */
export interface CacheRules {
  readonly explicit?: CacheControl;
}

/** Reads `prompt_cache_options`; its lifetime is a free text of which only `1h` means long. */
export function readCacheRules(
  options: Static<typeof PromptCacheOptionsSchema> | null | undefined,
): CacheRules {
  return options ? { explicit: { ttl: options.ttl === '1h' ? '1h' : '5m' } } : {};
}

/** Reads `cache_control`; the lifetime is five minutes unless it says one hour. */
export function readCacheControl(
  control: Static<typeof CacheControlSchema> | null | undefined,
): CacheControl | undefined {
  return control ? { ttl: control.ttl ?? '5m' } : undefined;
}

/** Whether, and for how long, a block ends a cacheable prefix. */
export function readBlockCache(
  block: {
    readonly cache_control?: Static<typeof CacheControlSchema> | null;
    readonly prompt_cache_breakpoint?: Static<typeof CacheBreakpointSchema> | null;
  },
  rules: CacheRules,
): CacheControl | undefined {
  const marked = block.prompt_cache_breakpoint ? (rules.explicit ?? { ttl: '5m' }) : undefined;
  return rules.explicit === undefined ? (readCacheControl(block.cache_control) ?? marked) : marked;
}

/** Content whose last part ends a cacheable prefix, where it can. */
export function markLast(
  parts: readonly ContentPart[],
  cacheControl: CacheControl | undefined,
): readonly ContentPart[] {
  const last = parts.at(-1);
  if (cacheControl === undefined || last === undefined) return parts;
  if (last.kind !== 'text' && last.kind !== 'image' && last.kind !== 'file') return parts;
  return [...parts.slice(0, -1), { ...last, cacheControl }];
}
