import type * as Wire from 'openai/resources/responses/responses';
import type { ServedTier } from '../../core/delta.ts';
import type { Usage } from '../../core/usage.ts';
import { countOf, type Lenient } from '../lenient.ts';

/** The token counts of a response in disjoint classes; this dialect counts cached tokens within the input. */
export function readUsage(usage: Lenient<Wire.ResponseUsage>): Usage {
  const cacheRead = countOf(usage.input_tokens_details?.cached_tokens);
  const cacheWrite = countOf(usage.input_tokens_details?.cache_write_tokens);
  const input = countOf(usage.input_tokens);
  return {
    uncachedInput:
      input === undefined ? undefined : Math.max(0, input - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    cacheRead,
    cacheWrite,
    output: countOf(usage.output_tokens),
    reasoning: countOf(usage.output_tokens_details?.reasoning_tokens),
  };
}

/** The tier that served, in the gateway's words; undefined for tiers it has no word for. */
export function readTier(tier: string | null | undefined): ServedTier | undefined {
  if (tier === 'auto') return 'default';
  return tier === 'default' || tier === 'flex' || tier === 'priority' ? tier : undefined;
}
