import type { Delta } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import { earlyInput, type Usage, withoutOutput } from '../../core/usage.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import type { JsonObject } from '../../util/json.ts';
import type { Decoder, ServerSentEvent } from '../adapter.ts';
import { type Lenient, parseEventExactly, textOf } from '../lenient.ts';
import { endingOf } from './finish-reason.ts';
import { generationOf } from './model-traits.ts';
import { PartReader } from './part-reader.ts';
import { readCitations, sourcesOf } from './read-citations.ts';
import { errorOf, streamFailure } from './read-failure.ts';
import { readLogprobs } from './read-logprobs.ts';
import { readTier, readUsage } from './read-usage.ts';
import type { Push } from './run.ts';
import type { Answer, Candidate, GroundingMetadata, UrlContextMetadata, UsageMetadata } from './wire.ts';

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
