import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type { ServedTier } from '../../core/delta.ts';
import type { Usage } from '../../core/usage.ts';
import { type Lenient, usedCount } from '../lenient.ts';

/** Token counts of a whole answer, or of the start and the end of a stream. */
export type WireUsage = Lenient<Wire.Usage> | Lenient<Wire.MessageDeltaUsage>;

/**
 * Merges two reports of token counts. Those at the end are totals and replace the earlier ones, where present. Some
 * compatible providers report the input at the start and zero at the end, so a zero input replaces nothing.
 */
export function mergeUsage(known: WireUsage, later: WireUsage | null | undefined): WireUsage {
  const input = later && [
    later.input_tokens,
    later.cache_read_input_tokens,
    later.cache_creation_input_tokens,
  ];
  const isNothing = (value: unknown) => value === 0 && input?.every((count) => !count) === true;
  const reported = Object.entries(later ?? {}).filter(([name, value]) => {
    if (value === null || value === undefined) return false;
    return !(name in known && name.includes('input_tokens') && isNothing(value));
  });
  return { ...known, ...Object.fromEntries(reported) };
}

/**
 * The token counts in disjoint classes, which is how this dialect reports them; undefined when it reported none.
 */
export function readUsage(counts: WireUsage): Usage | undefined {
  const usage: Usage = {
    uncachedInput: usedCount(counts.input_tokens),
    cacheRead: usedCount(counts.cache_read_input_tokens),
    ...cacheWrites(counts),
    output: usedCount(counts.output_tokens),
    reasoning: usedCount(counts.output_tokens_details?.thinking_tokens),
    webSearches: usedCount(counts.server_tool_use?.web_search_requests),
  };
  return Object.values(usage).some((count) => count !== undefined) ? usage : undefined;
}

/** The tier that served, in the gateway's terms; undefined where unreported. */
export function readTier(counts: WireUsage): ServedTier | undefined {
  const tier = 'service_tier' in counts ? counts.service_tier : undefined;
  if (tier === 'standard') return 'default';
  return tier === 'priority' ? 'priority' : undefined;
}

function cacheWrites(counts: WireUsage): Pick<Usage, 'cacheWrite' | 'cacheWriteLong'> {
  const lifetimes = 'cache_creation' in counts ? counts.cache_creation : undefined;
  const cacheWriteLong = usedCount(lifetimes?.ephemeral_1h_input_tokens);
  const all = usedCount(counts.cache_creation_input_tokens);
  // The total may be newer than its parts, because only the total is repeated at the end.
  const cacheWrite =
    all === undefined
      ? usedCount(lifetimes?.ephemeral_5m_input_tokens)
      : Math.max(0, all - (cacheWriteLong ?? 0));
  return { cacheWrite, cacheWriteLong };
}
