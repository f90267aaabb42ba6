import type { Usage } from '../../core/usage.ts';
import type { ChunkUsage } from './chunk.ts';

/**
 * Token counts in disjoint classes. In this dialect the prompt count includes cached, newly cached and
 * audio tokens, and the completion count includes reasoning; what is not reported stays undefined.
 */
export function decodeUsage(usage: ChunkUsage): Usage {
  const prompt = count(usage.prompt_tokens);
  const details = usage.prompt_tokens_details;
  const cacheRead = count(details?.cached_tokens) ?? count(usage.prompt_cache_hit_tokens);
  const cacheWrite = count(details?.cache_write_tokens);
  const audioInput = count(details?.audio_tokens);
  const apart = (cacheRead ?? 0) + (cacheWrite ?? 0) + (audioInput ?? 0);
  return {
    uncachedInput: prompt === undefined ? undefined : Math.max(prompt - apart, 0),
    cacheRead,
    cacheWrite,
    audioInput,
    ...decodeOutput(usage),
  };
}

function decodeOutput(usage: ChunkUsage): Pick<Usage, 'output' | 'reasoning'> {
  const completion = count(usage.completion_tokens);
  const reasoning = count(usage.completion_tokens_details?.reasoning_tokens) ?? count(usage.reasoning_tokens);
  const countedApart =
    completion !== undefined &&
    reasoning !== undefined &&
    reasoning > 0 &&
    count(usage.total_tokens) === (count(usage.prompt_tokens) ?? 0) + completion + reasoning;
  // One look-alike reports reasoning beside the completion; only its total shows it.
  return { output: countedApart ? completion + reasoning : completion, reasoning };
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
