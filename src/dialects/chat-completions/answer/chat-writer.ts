import type {
  AnswerBill,
  AnswerParts,
  EndedPart,
  OpenedPart,
  ToolCallCount,
} from '../../../core/answer-part.ts';
import type { Delta, OutputLogprob } from '../../../core/delta.ts';
import { type HeadgateError, publicMessage } from '../../../core/errors.ts';
import type { InferenceRequest } from '../../../core/inference-request.ts';
import { usdToNumber } from '../../../core/money.ts';
import { toFileAnnotation } from '../../../core/parsed-file.ts';
import { cachedInput, totalInput, type Usage } from '../../../core/usage.ts';
import { GrowingText } from '../../../util/growing-text.ts';
import { type JsonObject, wellFormedJson } from '../../../util/json.ts';
import { Assembler } from '../../gateway/assembly/assembler.ts';
import type { AnswerText, AnswerWriter } from '../../public-dialect.ts';
import { serviceMetadata } from '../../service-metadata.ts';
import type {
  ChatAudio,
  ChatDelta,
  ChatError,
  ChatFinish,
  ChatUsage,
  ReasoningDetail,
  WrittenDelta,
} from './chat-completion.ts';
import { ChatDeltas } from './chat-deltas.ts';

interface GrowingCall {
  readonly head: JsonObject;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: GrowingText;
}

interface GrowingDetail {
  detail: ReasoningDetail;
  readonly text: GrowingText;
}

/** The message of an unstreamed answer: every delta of it added up, as clients add up those of a stream. */
class ChatMessage {
  readonly #content = new GrowingText();
  readonly #refusal = new GrowingText();
  readonly #reasoning = new GrowingText();
  readonly #details = new Map<number, GrowingDetail>();
  readonly #calls: GrowingCall[] = [];
  readonly #annotations: JsonObject[] = [];
  readonly #images: JsonObject[] = [];
  #audio: ChatAudio | undefined;
  readonly #sound: string[] = [];
  readonly #transcript = new GrowingText();
  readonly logprobs: OutputLogprob[] = [];

  /** Adds what one delta says. */
  add({ delta, logprobs }: WrittenDelta): void {
    if (delta.content !== undefined) this.#content.append(delta.content);
    if (delta.refusal !== undefined) this.#refusal.append(delta.refusal);
    if (delta.reasoning !== undefined) this.#reasoning.append(delta.reasoning);
    for (const detail of delta.reasoning_details ?? []) this.#detail(detail);
    for (const { index, id, function: called, ...head } of delta.tool_calls ?? []) {
      const call = this.#calls[index] ?? { head, id, name: called.name, text: new GrowingText() };
      this.#calls[index] = call;
      if (called.arguments !== '') call.text.append(called.arguments);
    }
    if (delta.annotations !== undefined) this.#annotations.push(...delta.annotations);
    if (delta.images !== undefined) this.#images.push(...delta.images);
    if (delta.audio !== undefined) this.#hear(delta.audio);
    if (logprobs !== undefined) for (const one of logprobs) this.logprobs.push(one);
  }

  /** The message as it stands. */
  value(): JsonObject {
    const content = this.#content.value;
    const refusal = this.#refusal.value;
    const hasMedia = this.#images.length > 0 || this.#audio !== undefined;
    const isBeside = this.#calls.length > 0 || refusal !== '' || hasMedia;
    return {
      role: 'assistant',
      content: content === '' && isBeside ? null : content,
      refusal: refusal === '' ? null : refusal,
      ...(this.#details.size > 0 && this.#reasoningMembers()),
      ...(this.#calls.length > 0 && { tool_calls: this.#calls.map(toCall) }),
      ...(this.#images.length > 0 && { images: this.#images }),
      ...(this.#audio !== undefined && {
        audio: { ...this.#audio, data: joinBase64(this.#sound), transcript: this.#transcript.value },
      }),
      ...(this.#annotations.length > 0 && { annotations: this.#annotations }),
    };
  }

  #hear({ data = '', transcript = '', ...members }: ChatAudio): void {
    this.#audio = { ...this.#audio, ...members };
    if (data !== '') this.#sound.push(data);
    if (transcript !== '') this.#transcript.append(transcript);
  }

  #reasoningMembers(): JsonObject {
    const reasoning = this.#reasoning.value;
    return {
      ...(reasoning !== '' && { reasoning }),
      reasoning_details: [...this.#details.values()].map(toDetail),
    };
  }

  #detail(detail: ReasoningDetail): void {
    const known = this.#details.get(detail.index);
    const growing = known ?? { detail, text: new GrowingText() };
    if (known === undefined) this.#details.set(detail.index, growing);
    else growing.detail = { ...growing.detail, ...detail };
    const text = detail.text ?? detail.summary;
    if (text !== undefined && text !== '') growing.text.append(text);
  }
}

/** Pieces of base64 as one: each may end with padding, which nothing may follow. */
function joinBase64(pieces: readonly string[]): string {
  const [only = '', ...others] = pieces;
  if (others.length === 0) return only;
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))).toString('base64');
}

function toCall({ head, id, name, text }: GrowingCall, index: number): JsonObject {
  return { index, id, ...head, function: { name, arguments: text.value } };
}

function toDetail({ detail, text }: GrowingDetail): JsonObject {
  if (detail.type === 'reasoning.text') return { ...detail, text: text.value };
  return detail.type === 'reasoning.summary' ? { ...detail, summary: text.value } : detail;
}

/** What the writer must know of the request. */
export interface ChatSettings {
  /** The id of the answer and of every chunk. */
  readonly id: string;
  readonly separatesUsage: boolean;
  readonly wantsLogprobs: boolean;
}

interface Head {
  readonly created: number;
  readonly model: string;
  readonly provider?: string;
}

const sentinel = 'data: [DONE]\n\n';
const nothing: ReadonlySet<string> = new Set();

/** Writes an answer as a chat completion, or as the chunks of a stream (docs/spec/chat.md#stream). */
export class ChatWriter implements AnswerWriter {
  readonly #request: InferenceRequest;
  readonly #settings: ChatSettings;
  readonly #assembler: Assembler;
  readonly #deltas: ChatDeltas;
  /** What an unstreamed answer consists of. */
  readonly #message = new ChatMessage();
  #head: Head | undefined;
  #native: string | undefined;
  #text = '';
  #ended: EndedPart | undefined;

  constructor(request: InferenceRequest, settings: ChatSettings) {
    this.#request = request;
    this.#settings = settings;
    this.#deltas = new ChatDeltas((written) => this.#write(written));
    this.#assembler = new Assembler(
      {
        includeEncryptedReasoning: true,
        excludeReasoning: request.canonical.reasoning?.exclude === true,
        asyncTools: nothing,
        include: nothing,
      },
      (event) => this.#deltas.take(event),
    );
  }

  write(parts: AnswerParts): AnswerText {
    for (const part of parts) {
      switch (part.kind) {
        case 'sent':
          this.#chunk({ choices: [], debug: { echo_upstream_body: part.body } });
          break;
        case 'opened':
          this.#begin(part);
          break;
        case 'files':
          this.#write({ delta: { annotations: part.files.map((file) => ({ ...toFileAnnotation(file) })) } });
          break;
        case 'executing':
        case 'progress':
        case 'executed':
          this.#assembler.pushTool(part);
          if (part.kind === 'executed') this.#deltas.executed(part);
          break;
        case 'settled':
          this.#deltas.turnOver();
          break;
        case 'ended':
          this.#end(part);
          break;
        case 'audio':
          this.#write({ delta: { audio: toAudio(part) } });
          break;
        case 'reported':
        case 'left_out':
        case 'suspended':
          break;
        default:
          if (part.kind === 'finish') this.#native = part.native;
          this.#assembler.push(part);
      }
    }
    const text = this.#text;
    this.#text = '';
    return text;
  }

  body(): AnswerText {
    const ended = this.#ended;
    const { finish, error } = this.#ending();
    const choice = {
      index: 0,
      message: this.#message.value(),
      logprobs: this.#settings.wantsLogprobs ? { content: this.#message.logprobs, refusal: null } : null,
      finish_reason: finish,
      ...this.#nativeReason(),
      ...(error !== undefined && { error }),
    };
    return wellFormedJson(
      JSON.stringify({
        id: this.#settings.id,
        object: 'chat.completion',
        ...this.#known(),
        system_fingerprint: null,
        service_tier: ended?.tier ?? null,
        choices: [choice],
        usage: toChatUsage(ended?.bill, ended?.toolCalls),
        ...this.#metadata(),
      }),
    );
  }

  #known(): Head {
    return this.#head ?? { created: inSeconds(this.#ended?.at ?? 0), model: this.#request.models[0] ?? '' };
  }

  /** Only the first turn begins the message. */
  #begin({ model, provider, at }: OpenedPart): void {
    if (this.#head !== undefined) return;
    this.#head = { created: inSeconds(at), model, provider };
    if (this.#request.stream) this.#choice({ role: 'assistant', content: '' });
  }

  #write({ delta, logprobs }: WrittenDelta): void {
    if (!this.#request.stream) this.#message.add({ delta, logprobs });
    else if (logprobs === undefined) this.#choice(delta);
    else this.#choice(delta, { logprobs: { content: logprobs, refusal: null } });
  }

  #end(part: EndedPart): void {
    this.#ended = part;
    if (part.error === undefined) this.#assembler.finish(part.finish ?? 'stop');
    this.#deltas.finish();
    if (!this.#request.stream) return;
    const { finish, error } = this.#ending();
    const last = this.#last(part);
    const separates = this.#settings.separatesUsage;
    const ending = { ...(error !== undefined && { error }), ...(!separates && last) };
    const delta = error === undefined ? {} : { content: '' };
    this.#chunk({
      ...ending,
      choices: [{ index: 0, delta, finish_reason: finish, ...this.#nativeReason() }],
    });
    if (separates) this.#chunk({ choices: [], ...last });
    this.#text += sentinel;
  }

  #last({ bill, toolCalls, tier, error }: EndedPart) {
    // A failed answer that used nothing has no usage to report.
    const usage = bill === undefined && error !== undefined ? {} : { usage: toChatUsage(bill, toolCalls) };
    return { ...usage, ...(tier !== undefined && { service_tier: tier }), ...this.#metadata() };
  }

  #metadata() {
    const report = this.#ended?.report;
    return report === undefined ? {} : { service_metadata: serviceMetadata(report) };
  }

  #ending(): { readonly finish: ChatFinish; readonly error?: ChatError } {
    const { error, finish = 'stop' } = this.#ended ?? {};
    if (error !== undefined) return { finish: 'error', error: toChatError(error) };
    const reason = this.#assembler.finishReason ?? finish;
    // Agents branch on it, whatever the provider said.
    return { finish: reason === 'stop' && this.#deltas.hasCalls ? 'tool_calls' : reason };
  }

  #nativeReason() {
    return this.#native === undefined ? {} : { native_finish_reason: this.#native };
  }

  #choice(delta: ChatDelta, more: object = {}): void {
    this.#chunk({ choices: [{ index: 0, delta, ...more, finish_reason: null }] });
  }

  #chunk(members: object): void {
    if (!this.#request.stream) return;
    const { id } = this.#settings;
    const chunk = { id, object: 'chat.completion.chunk', ...this.#known(), ...members };
    this.#text += `data: ${wellFormedJson(JSON.stringify(chunk))}\n\n`;
  }
}

function toAudio({ id, data, transcript, expiresAt }: Extract<Delta, { kind: 'audio' }>): ChatAudio {
  return {
    ...(id !== undefined && { id }),
    ...(data !== undefined && { data }),
    ...(transcript !== undefined && { transcript }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
  };
}

/** Unix milliseconds as whole Unix seconds. */
function inSeconds(at: number): number {
  return Math.floor(at / 1000);
}

function toChatError(error: HeadgateError): ChatError {
  const metadata = error.status === 500 ? {} : error.metadata;
  return {
    code: error.status,
    message: publicMessage(error),
    metadata: { error_type: error.type, ...metadata },
  };
}

/**
 * The public `usage` of an answer (docs/spec/chat.md#usage). Details are there only where they are known; a cost that
 * is unknown because a price is missing is left out.
 */
function toChatUsage(bill: AnswerBill | undefined, toolCalls?: ToolCallCount): ChatUsage {
  const usage = bill?.usage ?? {};
  const input = totalInput(usage) ?? 0;
  const output = usage.output ?? 0;
  const { webSearches } = usage;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...promptDetails(usage),
    ...completionDetails(usage),
    ...(bill !== undefined && !bill.unpriced && costOf(bill)),
    is_byok: bill?.isByok ?? false,
    ...((webSearches || toolCalls) && {
      server_tool_use_details: {
        tool_calls_requested: toolCalls?.requested ?? 0,
        tool_calls_executed: toolCalls?.executed ?? 0,
        web_search_requests: webSearches ?? 0,
      },
    }),
  };
}

function promptDetails(usage: Usage): Pick<ChatUsage, 'prompt_tokens_details'> {
  const cached = cachedInput(usage);
  if (cached === undefined) return {};
  const { cacheWrite, cacheWriteLong, audioInput } = usage;
  const isWritten = cacheWrite !== undefined || cacheWriteLong !== undefined;
  return {
    prompt_tokens_details: {
      cached_tokens: cached,
      ...(isWritten && { cache_write_tokens: (cacheWrite ?? 0) + (cacheWriteLong ?? 0) }),
      ...(audioInput !== undefined && { audio_tokens: audioInput }),
    },
  };
}

function completionDetails(usage: Usage): Pick<ChatUsage, 'completion_tokens_details'> {
  const { reasoning, audioOutput, acceptedPrediction, rejectedPrediction } = usage;
  if (reasoning === undefined) return {};
  return {
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      ...(audioOutput !== undefined && { audio_tokens: audioOutput }),
      ...(acceptedPrediction !== undefined && { accepted_prediction_tokens: acceptedPrediction }),
      ...(rejectedPrediction !== undefined && { rejected_prediction_tokens: rejectedPrediction }),
    },
  };
}

function costOf({ charge, cost, isByok }: AnswerBill): Pick<ChatUsage, 'cost' | 'cost_details'> {
  return {
    cost: usdToNumber(charge),
    cost_details: {
      upstream_inference_cost: isByok ? usdToNumber(cost.total) : null,
      upstream_inference_prompt_cost: usdToNumber(cost.input),
      upstream_inference_completions_cost: usdToNumber(cost.output),
    },
  };
}
