import type * as Wire from 'openai/resources/responses/responses';
import type { ServedTier } from '../../core/delta.ts';
import type { Usage } from '../../core/usage.ts';
import { type Lenient, usedCount } from '../lenient.ts';
import { uncachedInput } from '../uncached-input.ts';

/** One host counts the calls of its own tools. */
type WireUsage = Wire.ResponseUsage & { server_side_tool_usage_details?: { web_search_calls?: number } };

/** The counts of a response in disjoint classes; this dialect counts cached tokens within the input. */
export function readUsage(usage: Lenient<WireUsage>): Usage {
  const cacheRead = usedCount(usage.input_tokens_details?.cached_tokens);
  const cacheWrite = usedCount(usage.input_tokens_details?.cache_write_tokens);
  const reasoning = usedCount(usage.output_tokens_details?.reasoning_tokens);
  return {
    uncachedInput: uncachedInput(usedCount(usage.input_tokens), (cacheRead ?? 0) + (cacheWrite ?? 0)),
    cacheRead,
    cacheWrite,
    output: wholeOutput(usage, reasoning),
    reasoning,
    webSearches: usedCount(usage.server_side_tool_usage_details?.web_search_calls),
  };
}

/** Some providers count reasoning beside the output; then only all three add up to the total. */
function wholeOutput(usage: Lenient<Wire.ResponseUsage>, reasoning = 0): number | undefined {
  const output = usedCount(usage.output_tokens);
  if (output === undefined) return undefined;
  const beside = usedCount(usage.total_tokens) === (usedCount(usage.input_tokens) ?? 0) + output + reasoning;
  return beside ? output + reasoning : output;
}

/** The tier that served, in the gateway's terms; undefined for unknown tiers. */
export function readTier(tier: string | null | undefined): ServedTier | undefined {
  if (tier === 'auto') return 'default';
  return tier === 'default' || tier === 'flex' || tier === 'priority' ? tier : undefined;
}
