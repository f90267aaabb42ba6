import type { Usage } from '../../core/usage.ts';
import { usedCount } from '../lenient.ts';
import { atMost, uncachedInput } from '../uncached-input.ts';
import type { ChunkUsage } from './chunk.ts';
import type { ChatProfile } from './quirks.ts';

/** What the quirks say of a provider's counts, and the endpoint's output limit in tokens, where known. */
type Counting = Pick<ChatProfile, 'citationTokens'> & { readonly maxOutput?: number };

/** Upper bound for an answer, whatever its endpoint states. */
const longestAnswer = 1_048_576;

/**
 * Token counts in disjoint classes. In this dialect the prompt count includes cached, newly cached and audio tokens,
 * and the completion count includes reasoning; what is not reported stays undefined.
 */
export function decodeUsage(
  usage: ChunkUsage,
  { citationTokens, maxOutput = longestAnswer }: Counting = {},
): Usage {
  const details = usage.prompt_tokens_details;
  const cacheRead =
    usedCount(details?.cached_tokens) ??
    usedCount(usage.prompt_cache_hit_tokens) ??
    usedCount(usage.cached_tokens) ??
    usedCount(usage.num_cached_tokens) ??
    usedCount(usage.cache_read_input_tokens);
  const writes = decodeWrites(usage);
  const cached = (cacheRead ?? 0) + writes.all;
  const uncached = isBeside(usage, cached)
    ? usedCount(usage.prompt_tokens)
    : uncachedInput(usedCount(usage.prompt_tokens), cached);
  // Cached audio is counted in both classes.
  const audioInput = atMost(usedCount(details?.audio_tokens), uncached);
  const cited = citationTokens === true ? (usedCount(usage.citation_tokens) ?? 0) : 0;
  return {
    uncachedInput: uncached === undefined ? undefined : uncached - (audioInput ?? 0) + cited,
    cacheRead,
    cacheWrite: writes.short,
    cacheWriteLong: writes.long,
    audioInput,
    imageInput: usedCount(details?.image_tokens),
    ...decodeOutput(usage, uncached === undefined ? undefined : uncached + cached, maxOutput),
    webSearches: usedCount(usage.num_search_queries),
  };
}

/** Whether the total shows that cached tokens are counted beside the prompt, not within it. */
function isBeside(usage: ChunkUsage, cached: number): boolean {
  const apart = (usedCount(usage.prompt_tokens) ?? 0) + (usedCount(usage.completion_tokens) ?? 0);
  return cached > 0 && usedCount(usage.total_tokens) === apart + cached;
}

/** Tokens written to a cache; those of the long lifetime are part of all of them, or unreported. */
function decodeWrites(usage: ChunkUsage): { all: number; short?: number; long?: number } {
  const details = usage.prompt_tokens_details;
  const long = usedCount((usage.cache_creation ?? details?.cache_creation)?.ephemeral_1h_input_tokens);
  const all =
    usedCount(details?.cache_write_tokens) ??
    usedCount(details?.cache_creation_input_tokens) ??
    usedCount(details?.cache_creation_tokens) ??
    usedCount(usage.cache_creation_input_tokens) ??
    usedCount(usage.cache_created_input_tokens);
  if (all === undefined) return { all: 0 };
  return long ? { all, short: Math.max(all - long, 0), long } : { all, short: all };
}

/**
 * Merges two reports of token counts; the later one wins. A prompt never has zero tokens, so a zero prompt is
 * ignored.
 */
export function mergeUsage(
  known: ChunkUsage | undefined,
  later: ChunkUsage | null | undefined,
): ChunkUsage | undefined {
  if (!later?.prompt_tokens && !later?.completion_tokens) return known;
  if (known === undefined) return later;
  const reported = Object.entries(later).filter(([, value]) => value !== null);
  return { ...known, ...Object.fromEntries(reported) };
}

type OutputClass =
  | 'output'
  | 'reasoning'
  | 'imageOutput'
  | 'audioOutput'
  | 'acceptedPrediction'
  | 'rejectedPrediction';

function decodeOutput(usage: ChunkUsage, input: number | undefined, most: number): Pick<Usage, OutputClass> {
  const details = usage.completion_tokens_details;
  const reasoning = usedCount(details?.reasoning_tokens) ?? usedCount(usage.reasoning_tokens);
  return {
    output: wholeOutput(usage, input, reasoning ?? 0, most),
    reasoning,
    imageOutput: usedCount(details?.image_tokens),
    audioOutput: usedCount(details?.audio_tokens),
    ...predicted(
      usedCount(details?.accepted_prediction_tokens),
      usedCount(details?.rejected_prediction_tokens),
    ),
  };
}

/** Counts of a prediction; zeros come with every answer and say nothing. */
function predicted(
  accepted: number | undefined,
  rejected: number | undefined,
): Pick<Usage, 'acceptedPrediction' | 'rejectedPrediction'> {
  return accepted || rejected ? { acceptedPrediction: accepted, rejectedPrediction: rejected } : {};
}

/**
 * Some providers count reasoning beside the completion. It shows in the total, or in more reasoning than completion.
 */
function wholeOutput(
  usage: ChunkUsage,
  input: number | undefined,
  reasoning: number,
  most: number,
): number | undefined {
  const completion = usedCount(usage.completion_tokens);
  const total = usedCount(usage.total_tokens);
  if (completion === undefined) return undefined;
  if (reasoning > 0) {
    const sum = (usedCount(usage.prompt_tokens) ?? 0) + completion + reasoning;
    return reasoning > completion || total === sum ? completion + reasoning : completion;
  }
  // Other providers count reasoning only in the total. A total that leaves more than the output limit is invalid.
  const rest = total === undefined || input === undefined ? 0 : total - input;
  return rest > most ? completion : Math.max(completion, rest);
}
