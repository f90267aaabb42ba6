import type { ServedTier } from '../../core/delta.ts';
import type { Usage } from '../../core/usage.ts';
import { type Lenient, listOf, usedCount } from '../lenient.ts';
import { atMost } from '../uncached-input.ts';
import type { ModalityTokenCount, UsageMetadata } from './wire.ts';

type Counts = Lenient<UsageMetadata>;
type Details = readonly Lenient<ModalityTokenCount>[] | null | undefined;

/**
 * The counts in disjoint classes; undefined when the provider reported none. The prompt's count includes cache reads
 * but not the results of tools; thoughts are not part of the candidates. The provider omits zeros, so a zero output
 * follows from the total.
 */
export function readUsage(counts: Counts, webSearches?: number): Usage | undefined {
  const audio = sumOf(
    countOfKind(counts.promptTokensDetails, 'AUDIO'),
    countOfKind(counts.toolUsePromptTokensDetails, 'AUDIO'),
  );
  const image = sumOf(
    countOfKind(counts.promptTokensDetails, 'IMAGE'),
    countOfKind(counts.toolUsePromptTokensDetails, 'IMAGE'),
  );
  const cachedAudio = countOfKind(counts.cacheTokensDetails, 'AUDIO');
  const cached = usedCount(counts.cachedContentTokenCount) ?? cachedAudio;
  const cachedImage = countOfKind(counts.cacheTokensDetails, 'IMAGE') ?? 0;
  const input = sumOf(usedCount(counts.promptTokenCount), usedCount(counts.toolUsePromptTokenCount));
  const fresh = input === undefined ? undefined : rest(input, cached ?? 0);
  // Some providers do not report how many cached tokens are audio.
  const freshAudio = audio === undefined ? undefined : atMost(rest(audio, cachedAudio ?? 0), fresh);
  const usage: Usage = {
    uncachedInput: fresh === undefined ? undefined : fresh - (freshAudio ?? 0),
    cacheRead: cached === undefined ? undefined : rest(cached, cachedAudio ?? 0),
    audioInput: freshAudio,
    audioCacheRead: cachedAudio,
    imageInput: image === undefined ? undefined : rest(image, cachedImage),
    output: outputOf(counts, input),
    reasoning: usedCount(counts.thoughtsTokenCount),
    imageOutput: countOfKind(counts.candidatesTokensDetails, 'IMAGE'),
    audioOutput: countOfKind(counts.candidatesTokensDetails, 'AUDIO'),
    webSearches,
  };
  return Object.values(usage).some((count) => count !== undefined) ? usage : undefined;
}

/** The tier that served, in the gateway's terms; undefined where unreported. */
export function readTier({ serviceTier, trafficType }: Counts): ServedTier | undefined {
  const word = serviceTier ?? trafficType;
  if (word === undefined || word === null) return undefined;
  // One host writes it in lowercase, others with a prefix.
  const tier = /(flex|priority|standard|on_demand|provisioned_throughput)$/i.exec(word)?.[1]?.toLowerCase();
  if (tier === undefined) return undefined;
  return tier === 'flex' || tier === 'priority' ? tier : 'default';
}

function outputOf(counts: Counts, input: number | undefined): number | undefined {
  const reportedSum = sumOf(usedCount(counts.candidatesTokenCount), usedCount(counts.thoughtsTokenCount));
  const total = usedCount(counts.totalTokenCount);
  if (reportedSum !== undefined || total === undefined || input === undefined) return reportedSum;
  return rest(total, input);
}

function countOfKind(details: Details, kind: string): number | undefined {
  const entries = listOf(details).filter((entry) => entry?.modality === kind);
  return sumOf(...entries.map((entry) => usedCount(entry?.tokenCount)));
}

function sumOf(...counts: readonly (number | undefined)[]): number | undefined {
  const reported = counts.filter((count) => count !== undefined);
  return reported.length === 0 ? undefined : reported.reduce((sum, count) => sum + count, 0);
}

/** Never negative, even if the counts contradict each other. */
function rest(whole: number, part: number): number {
  return Math.max(0, whole - part);
}
