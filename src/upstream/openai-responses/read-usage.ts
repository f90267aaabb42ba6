import type * as Wire from 'openai/resources/responses/responses';
import type { ServedTier } from '../../core/delta.ts';
import type { Usage } from '../../core/usage.ts';
import { countOf, type Lenient } from '../lenient.ts';
import { uncachedInput } from '../uncached-input.ts';

/** One host counts the calls of its own tools. */
type WireUsage = Wire.ResponseUsage & { server_side_tool_usage_details?: { web_search_calls?: number } };

/** The counts of a response in disjoint classes; this dialect counts cached tokens within the input. */
export function readUsage(usage: Lenient<WireUsage>): Usage {
  const cacheRead = countOf(usage.input_tokens_details?.cached_tokens);
  const cacheWrite = countOf(usage.input_tokens_details?.cache_write_tokens);
  const reasoning = countOf(usage.output_tokens_details?.reasoning_tokens);
  return {
    uncachedInput: uncachedInput(countOf(usage.input_tokens), (cacheRead ?? 0) + (cacheWrite ?? 0)),
    cacheRead,
    cacheWrite,
    output: wholeOutput(usage, reasoning),
    reasoning,
    webSearches: countOf(usage.server_side_tool_usage_details?.web_search_calls),
  };
}

/** Some providers count reasoning beside the output; then only all three add up to the total. */
function wholeOutput(usage: Lenient<Wire.ResponseUsage>, reasoning = 0): number | undefined {
  const output = countOf(usage.output_tokens);
  if (output === undefined) return undefined;
  const beside = countOf(usage.total_tokens) === (countOf(usage.input_tokens) ?? 0) + output + reasoning;
  return beside ? output + reasoning : output;
}

/** The tier that served, in the gateway's terms; undefined for unknown tiers. */
export function readTier(tier: string | null | undefined): ServedTier | undefined {
  if (tier === 'auto') return 'default';
  return tier === 'default' || tier === 'flex' || tier === 'priority' ? tier : undefined;
}
