import type { Usage } from '../../core/usage.ts';
import { countOf } from '../lenient.ts';
import type { ChunkUsage } from './chunk.ts';

/**
 * Token counts in disjoint classes. In this dialect the prompt count includes cached, newly cached and
 * audio tokens, and the completion count includes reasoning; what is not reported stays undefined.
 */
export function decodeUsage(usage: ChunkUsage): Usage {
  const prompt = countOf(usage.prompt_tokens);
  const details = usage.prompt_tokens_details;
  const cacheRead =
    countOf(details?.cached_tokens) ??
    countOf(usage.prompt_cache_hit_tokens) ??
    countOf(usage.cached_tokens) ??
    countOf(usage.num_cached_tokens);
  const cacheWrite = countOf(details?.cache_write_tokens) ?? countOf(details?.cache_creation_input_tokens);
  const audioInput = countOf(details?.audio_tokens);
  const apart = (cacheRead ?? 0) + (cacheWrite ?? 0) + (audioInput ?? 0);
  return {
    uncachedInput: prompt === undefined ? undefined : Math.max(prompt - apart, 0),
    cacheRead,
    cacheWrite,
    audioInput,
    ...decodeOutput(usage),
    webSearches: countOf(usage.num_search_queries),
  };
}

/** Counts as far as they are known: what is told later is newer, unless it only says that there were none. */
export function mergeUsage(
  known: ChunkUsage | undefined,
  told: ChunkUsage | null | undefined,
): ChunkUsage | undefined {
  if (!told || known === undefined) return told ?? known;
  if (!told.prompt_tokens && !told.completion_tokens) return known;
  const reported = Object.entries(told).filter(([, value]) => value !== null);
  return { ...known, ...Object.fromEntries(reported) };
}

function decodeOutput(
  usage: ChunkUsage,
): Pick<Usage, 'output' | 'reasoning' | 'imageOutput' | 'audioOutput'> {
  const completion = countOf(usage.completion_tokens);
  const details = usage.completion_tokens_details;
  const reasoning = countOf(details?.reasoning_tokens) ?? countOf(usage.reasoning_tokens);
  const countedApart =
    completion !== undefined &&
    reasoning !== undefined &&
    reasoning > 0 &&
    (reasoning > completion ||
      countOf(usage.total_tokens) === (countOf(usage.prompt_tokens) ?? 0) + completion + reasoning);
  return {
    // Some report reasoning beside the completion; the total shows it, or that it is more than the whole.
    output: countedApart ? completion + reasoning : completion,
    reasoning,
    imageOutput: countOf(details?.image_tokens),
    audioOutput: countOf(details?.audio_tokens),
  };
}
