import type * as Wire from 'openai/resources/responses/responses';
import type { ServedTier } from '../../core/delta.ts';
import type { Usage } from '../../core/usage.ts';
import type { Lenient } from '../lenient.ts';

/** The token counts of a response in disjoint classes; this dialect counts cached tokens within the input. */
export function readUsage(usage: Lenient<Wire.ResponseUsage>): Usage {
  const cacheRead = usage.input_tokens_details?.cached_tokens ?? undefined;
  const cacheWrite = usage.input_tokens_details?.cache_write_tokens ?? undefined;
  const input = usage.input_tokens ?? undefined;
  return {
    uncachedInput:
      input === undefined ? undefined : Math.max(0, input - (cacheRead ?? 0) - (cacheWrite ?? 0)),
    cacheRead,
    cacheWrite,
    output: usage.output_tokens ?? undefined,
    reasoning: usage.output_tokens_details?.reasoning_tokens ?? undefined,
  };
}

/** The tier that served, in the gateway's words; undefined for tiers it has no word for. */
export function readTier(tier: string | null | undefined): ServedTier | undefined {
  if (tier === 'auto') return 'default';
  return tier === 'default' || tier === 'flex' || tier === 'priority' ? tier : undefined;
}
