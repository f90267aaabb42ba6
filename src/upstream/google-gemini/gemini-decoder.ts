import type {
  Annotation,
  Delta,
  FinishReason,
  OutputLogprob,
  ServedTier,
  TokenLogprob,
} from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import { earlyInput, type Usage, withoutOutput } from '../../core/usage.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { wordTable } from '../../util/word-table.ts';
import type { Decoder, ServerSentEvent } from '../adapter.ts';
import { type Lenient, listOf, parseEventExactly, textOf, usedCount } from '../lenient.ts';
import { atMost } from '../uncached-input.ts';
import { generationOf } from './model-traits.ts';
import { PartReader } from './part-reader.ts';
import { errorOf, streamFailure } from './read-failure.ts';
import type { Push } from './run.ts';
import type {
  Answer,
  Candidate,
  GroundingMetadata,
  GroundingSupport,
  LogprobsResult,
  ModalityTokenCount,
  UrlContextMetadata,
  UsageMetadata,
} from './wire.ts';

interface Source {
  readonly url: string;
  readonly title: string;
}

type Span = readonly [number, number];

/**
 * Reads the citations of a text: search results that support a passage, and passages that the model recites.
 * @param text The whole text they may refer to.
 * @param recited The candidate's `citationMetadata`, whose list has two names.
 */
export function readCitations(
  text: string,
  grounding: Lenient<GroundingMetadata>,
  recited: unknown,
): readonly Annotation[] {
  const offsets = new TextOffsets(text);
  const sources = sourcesOf(grounding);
  const found = (grounding.groundingSupports ?? []).flatMap((support) => {
    const span = spanOf(support, offsets);
    if (span === undefined) return [];
    const cited = (support.groundingChunkIndices ?? []).map((index) => sources[index]);
    return cited.flatMap((source) => (source === undefined ? [] : toAnnotation(source, span)));
  });
  return [...found, ...recitedIn(recited, offsets)];
}

/** Addresses that the search found, in the order of the supports' indices. */
function sourcesOf({ groundingChunks }: Lenient<GroundingMetadata>): readonly (Source | undefined)[] {
  return (groundingChunks ?? []).map(({ web, maps, retrievedContext }) => {
    const chunk = web ?? maps ?? retrievedContext;
    const url = textOf(chunk?.uri);
    return url === undefined ? undefined : { url, title: textOf(chunk?.title) ?? '' };
  });
}

/** The span by byte offsets; if the text there differs, by searching for the segment's text. */
function spanOf({ segment }: Lenient<GroundingSupport>, offsets: TextOffsets): Span | undefined {
  const words = textOf(segment?.text);
  const span = segment?.endIndex ? offsets.span(segment.startIndex ?? 0, segment.endIndex) : undefined;
  if (words === undefined || (span !== undefined && offsets.slice(span) === words)) return span;
  return offsets.find(words);
}

function recitedIn(recited: unknown, offsets: TextOffsets): readonly Annotation[] {
  if (!isObject(recited)) return [];
  const list = recited.citations ?? recited.citationSources;
  return (Array.isArray(list) ? list : []).filter(isObject).flatMap((citation) => {
    const url = textOf(citation.uri);
    const span = offsets.span(Number(citation.startIndex ?? 0), Number(citation.endIndex ?? 0));
    if (url === undefined || span === undefined) return [];
    return toAnnotation({ url, title: textOf(citation.title) ?? '' }, span);
  });
}

function toAnnotation({ url, title }: Source, [start_index, end_index]: Span): Annotation {
  return { type: 'url_citation', url, title, start_index, end_index };
}

/** Converts offsets in UTF-8 bytes to offsets in UTF-16 units, for one text. */
export class TextOffsets {
  readonly #text: string;
  readonly #bytes: Buffer;
  /** The last converted position; citations mostly come in order. */
  #counted = { bytes: 0, length: 0 };

  constructor(text: string) {
    this.#text = text;
    this.#bytes = Buffer.from(text);
  }

  /**
   * The UTF-16 span of bytes, end exclusive. A span that begins or ends inside a character is widened to the whole
   * character. Undefined when it is not a span of this text.
   */
  span(startByte: number, endByte: number): readonly [number, number] | undefined {
    if (!Number.isInteger(startByte) || !Number.isInteger(endByte)) return undefined;
    if (startByte < 0 || endByte <= startByte || startByte >= this.#bytes.length) return undefined;
    const start = this.#length(this.#boundary(startByte, -1));
    const end = this.#length(this.#boundary(Math.min(endByte, this.#bytes.length), 1));
    return [start, end];
  }

  /** The span of a passage, found by its text. */
  find(piece: string): readonly [number, number] | undefined {
    const start = this.#text.indexOf(piece);
    return start === -1 ? undefined : [start, start + piece.length];
  }

  slice([start, end]: readonly [number, number]): string {
    return this.#text.slice(start, end);
  }

  #length(bytes: number): number {
    const from = bytes < this.#counted.bytes ? { bytes: 0, length: 0 } : this.#counted;
    const length = from.length + this.#bytes.toString('utf8', from.bytes, bytes).length;
    this.#counted = { bytes, length };
    return length;
  }

  #boundary(byte: number, step: 1 | -1): number {
    let at = byte;
    while (at > 0 && at < this.#bytes.length && ((this.#bytes[at] ?? 0) & 0xc0) === 0x80) at += step;
    return at;
  }
}

/**
 * Reads one answer in the Gemini dialect. The events of a stream are whole answers that continue each other.
 */
export class GeminiDecoder implements Decoder {
  /** The dialect has no end event: the answer ends when the provider closes the stream. */
  readonly finished = false;
  readonly #generation: number | undefined;
  readonly #push: Push = (delta) => this.#into.push(delta);
  readonly #parts: PartReader;
  #into: Delta[] = [];
  #begun = false;
  #usage: Lenient<UsageMetadata> = {};
  /** Whether output was written after the last count. */
  #outgrown = false;
  #grounding: Lenient<GroundingMetadata> = {};
  #pages: Lenient<UrlContextMetadata> = {};
  #recited: unknown;
  #finishReason: string | undefined;

  constructor({ request, endpoint }: UpstreamCall) {
    this.#generation = generationOf(endpoint.upstreamModel);
    this.#parts = new PartReader(this.#push, request.includeEncryptedReasoning);
  }

  get resting(): boolean {
    return this.#finishReason !== undefined;
  }

  decode({ data }: ServerSentEvent, into: Delta[]): void {
    if (data === '[DONE]') return;
    const isFirst = !this.#begun;
    // Arguments of calls are JSON values here.
    this.#readAll([parseEventExactly<JsonObject>(data)], into);
    if (isFirst && this.#finishReason === undefined) this.#emitUsage(earlyInput(readUsage(this.#usage)));
  }

  close(into: Delta[]): void {
    this.#into = into;
    this.#finish('The provider closed the stream before the answer was whole.');
  }

  decodeWhole(answer: JsonObject, into: Delta[]): void {
    this.decodeSeries([answer], into);
  }

  decodeSeries(answers: readonly JsonObject[], into: Delta[]): void {
    this.#readAll(answers, into);
    this.#finish('The provider sent an answer that is not whole.');
  }

  #readAll(answers: readonly JsonObject[], into: Delta[]): void {
    this.#into = into;
    for (const answer of answers) {
      const reported = errorOf(answer);
      if (reported !== undefined) throw streamFailure(reported);
      this.#read(answer);
    }
  }

  #read(answer: Lenient<Answer>): void {
    if (!this.#begun) this.#push({ kind: 'start', upstreamId: textOf(answer.responseId) });
    this.#begun = true;
    this.#usage = merge(this.#usage, answer.usageMetadata);
    const candidate = answer.candidates?.find(({ index }) => (index ?? 0) === 0);
    if (candidate !== undefined) this.#readCandidate(candidate);
    const { candidatesTokenCount, thoughtsTokenCount } = answer.usageMetadata ?? {};
    // A zero count is omitted, so only a report at or after the end shows that there was no output.
    const isCounted = candidatesTokenCount ?? thoughtsTokenCount ?? this.#finishReason;
    if (answer.usageMetadata && isCounted !== undefined) this.#outgrown = false;
    else if (candidate?.content?.parts?.length) this.#outgrown = true;
    const blocked = textOf(answer.promptFeedback?.blockReason);
    if (blocked === undefined || this.#parts.hasOutput) return;
    this.#emitUsage(readUsage(this.#usage, this.#searches()));
    throw new HeadgateError('upstream_policy', `The provider refused the prompt: ${blocked}.`, {
      metadata: { provider_code: blocked },
    });
  }

  #readCandidate(candidate: Lenient<Candidate>): void {
    this.#parts.read(candidate.content?.parts ?? [], readLogprobs(candidate.logprobsResult));
    this.#grounding = merge(this.#grounding, candidate.groundingMetadata);
    this.#pages = merge(this.#pages, candidate.urlContextMetadata);
    this.#recited = candidate.citationMetadata ?? this.#recited;
    this.#finishReason = textOf(candidate.finishReason) ?? this.#finishReason;
  }

  /** @param otherwise The error message for an answer without a finish reason. */
  #finish(otherwise: string): void {
    if (this.#finishReason === undefined) throw new HeadgateError('provider_failed', otherwise);
    const native = this.#finishReason;
    const text = this.#parts.openText;
    if (text !== undefined) this.#parts.cite(readCitations(text, this.#grounding, this.#recited));
    this.#parts.end();
    this.#emitSearches();
    const usage = readUsage(this.#usage, this.#searches());
    this.#emitUsage(usage && this.#outgrown ? withoutOutput(usage) : usage);
    const ending = endingOf(native, this.#parts.hasOutput);
    if (ending === 'failed') {
      throw new HeadgateError('provider_failed', `The model ended its answer with ${native}.`, {
        metadata: { provider_code: native },
      });
    }
    const reason = ending === 'stop' && this.#parts.called ? 'tool_calls' : ending;
    this.#push({ kind: 'finish', reason, native });
  }

  /** Reports searches at the end, together with the sources, unless they came as calls before. */
  #emitSearches(): void {
    if (this.#parts.searched) return;
    const queries = this.#queries();
    if (queries.length > 0) {
      const urls = sourcesOf(this.#grounding).flatMap((source) => source?.url ?? []);
      const sources = [...new Set(urls)].map((url) => ({ type: 'url', url }));
      this.#emitSearch({ type: 'search', query: queries[0], queries, sources });
    }
    for (const { retrievedUrl, urlRetrievalStatus } of this.#pages.urlMetadata ?? []) {
      const failed = urlRetrievalStatus !== 'URL_RETRIEVAL_STATUS_SUCCESS';
      const url = textOf(retrievedUrl);
      if (url !== undefined) this.#emitSearch({ type: 'open_page', url }, failed);
    }
  }

  #emitSearch(action: JsonObject, failed = false): void {
    const block = this.#parts.nextBlock();
    this.#push({ kind: 'hosted', block, type: 'web_search_call' });
    this.#push({ kind: 'stage', block, stage: 'searching' });
    this.#push({ kind: 'result', block, fields: { action }, ...(failed && { failed }) });
    this.#push({ kind: 'end', block });
  }

  #emitUsage(usage: Usage | undefined): void {
    const tier = readTier(this.#usage);
    if (tier !== undefined) this.#push({ kind: 'tier', tier });
    if (usage !== undefined) this.#push({ kind: 'usage', usage });
  }

  /** From the third generation each query is billed; before that, each answer that searched. */
  #searches(): number | undefined {
    // Searches shown as calls are not reported again with the sources.
    const count = this.#queries().length || this.#parts.queries;
    if (count === 0) return undefined;
    return this.#generation === undefined || this.#generation >= 3 ? count : 1;
  }

  #queries(): readonly string[] {
    return (this.#grounding.webSearchQueries ?? []).filter((query) => textOf(query) !== undefined);
  }
}

/** Merges two reports; members of the later one win. */
function merge<T extends object>(known: T, later: T | null | undefined): T {
  const reported = Object.entries(later ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return { ...known, ...Object.fromEntries(reported) };
}

type Token = { readonly token?: string | null; readonly logProbability?: number | null };

/** Log probabilities of the tokens of one answer or event; undefined without any. */
function readLogprobs(
  result: Lenient<LogprobsResult> | null | undefined,
): readonly OutputLogprob[] | undefined {
  const chosen = result?.chosenCandidates ?? [];
  if (chosen.length === 0) return undefined;
  return chosen.map((token, index) => ({
    ...readToken(token),
    top_logprobs: (result?.topCandidates?.[index]?.candidates ?? []).map(readToken),
  }));
}

/** Zero is omitted everywhere in this dialect. */
function readToken({ token, logProbability }: Token): TokenLogprob {
  const text = textOf(token) ?? '';
  return {
    token: text,
    logprob: typeof logProbability === 'number' ? logProbability : 0,
    bytes: [...Buffer.from(text)],
  };
}

/** The meaning of a finish reason: an end, or a failure that another attempt may avoid. */
type Ending = FinishReason | 'failed';

const endings = wordTable<Ending>({
  STOP: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  MALFORMED_FUNCTION_CALL: 'failed',
  MALFORMED_RESPONSE: 'failed',
  UNEXPECTED_TOOL_CALL: 'failed',
  TOO_MANY_TOOL_CALLS: 'failed',
  MISSING_THOUGHT_SIGNATURE: 'failed',
});

/**
 * How an answer ended. Unknown reasons and `OTHER` count as an end if the model wrote anything before, else as a
 * failure.
 * @param said Whether there was text, a call or a picture.
 */
function endingOf(native: string, hasOutput: boolean): Ending {
  return endings[native] ?? (hasOutput ? 'stop' : 'failed');
}

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
