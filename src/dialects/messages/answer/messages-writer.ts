import type { AnswerBill, AnswerParts, EndedPart, ToolCallCount } from '../../../core/answer-part.ts';
import type { Delta, FinishReason, ServedTier } from '../../../core/delta.ts';
import { publicMessage } from '../../../core/errors.ts';
import { createId } from '../../../core/ids.ts';
import type { InferenceRequest } from '../../../core/inference-request.ts';
import { usdToNumber } from '../../../core/money.ts';
import { type ParsedFile, toFileAnnotation } from '../../../core/parsed-file.ts';
import { cachedInput, totalInput, type Usage } from '../../../core/usage.ts';
import { type JsonObject, wellFormedJson } from '../../../util/json.ts';
import { jsonPieces } from '../../../util/json-pieces.ts';
import type { AnswerText, AnswerWriter, CarrierSeal } from '../../public-dialect.ts';
import { serviceMetadata } from '../../service-metadata.ts';
import { errorObject } from '../describe-error.ts';
import type { AnswerShape } from '../request/read-messages-request.ts';
import { BlockAssembler } from './block-assembler.ts';
import type { StopReason } from './message.ts';

type Finish = Extract<Delta, { kind: 'finish' }>;

/** Answers with more text than this are encoded in pieces. */
const largeAnswer = 256 * 1024;

/** Writes an answer as a message, or as the events of a stream (docs/spec/messages.md#order-of-events). */
export class MessagesWriter implements AnswerWriter {
  readonly #request: InferenceRequest;
  readonly #shape: AnswerShape;
  readonly #assembler: BlockAssembler;
  readonly #id = createId('msg_');
  #events: (JsonObject & { readonly type: string })[] = [];
  #model: string | undefined;
  #isStarted = false;
  #usage: Usage = {};
  #tier: Extract<Delta, { kind: 'tier' }>['tier'] | undefined;
  #finish: Finish | undefined;
  #size = 0;
  #message: JsonObject | undefined;
  /** Files as the gateway read them; the format has no place for them, so the message gets one. */
  #files: readonly ParsedFile[] | undefined;

  constructor(request: InferenceRequest, shape: AnswerShape, carriers: CarrierSeal | undefined) {
    this.#request = request;
    this.#shape = shape;
    const { stream } = request;
    this.#assembler = new BlockAssembler(
      { hidesThoughts: shape.hidesThoughts, omitsText: shape.omitsThoughts, carriers },
      (event) => {
        this.#start();
        if (stream) this.#events.push(event);
      },
    );
  }

  write(parts: AnswerParts): AnswerText {
    for (const part of parts) {
      switch (part.kind) {
        case 'opened':
          this.#model ??= part.model;
          break;
        case 'files':
          this.#files = part.files;
          break;
        case 'executed':
          this.#assembler.addExecuted(part.type, part.fields);
          break;
        case 'ended':
          this.#end(part);
          break;
        case 'sent':
        case 'reported':
        case 'left_out':
        case 'suspended':
        case 'settled':
        case 'executing':
        case 'progress':
          break;
        default:
          this.#take(part);
      }
    }
    if (!this.#request.stream) return '';
    if (this.#model !== undefined) this.#start();
    const events = this.#events;
    this.#events = [];
    return events.length === 0 ? '' : encodeEvents(events);
  }

  body(): AnswerText {
    return this.#size > largeAnswer ? jsonPieces(this.#message) : JSON.stringify(this.#message);
  }

  keepAlive(): string | undefined {
    return this.#isStarted ? ping : undefined;
  }

  #take(delta: Delta): void {
    if ('text' in delta) this.#size += delta.text.length;
    if (delta.kind === 'usage') this.#usage = delta.usage;
    else if (delta.kind === 'tier') this.#tier = delta.tier;
    else if (delta.kind === 'finish') this.#finish = delta;
    else this.#assembler.push(delta);
  }

  /** Announces the message, once. A fallback before this names another model, one after it never happens. */
  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    if (!this.#request.stream) return;
    const usage = { ...messageUsage(this.#usage, this.#tier), output_tokens: 0, output_tokens_details: null };
    this.#events.push({
      type: 'message_start',
      message: { ...this.#head(), content: [], ...unended, usage: withoutUndefined(usage) },
    });
    this.#events.push({ type: 'ping' });
  }

  #head(): JsonObject {
    return {
      id: this.#id,
      type: 'message',
      role: 'assistant',
      container: null,
      model: this.#shape.model ?? this.#model ?? this.#request.models[0] ?? '',
      ...(this.#files && { annotations: this.#files.map(toFileAnnotation) }),
    };
  }

  #end(part: EndedPart): void {
    if (part.error !== undefined) {
      const { status, type, metadata } = part.error;
      const error = errorObject({ status, type, message: publicMessage(part.error) });
      const report = part.report && { service_metadata: serviceMetadata(part.report) };
      const details = Object.keys(metadata).length > 0 && status !== 500 ? { metadata } : {};
      this.#events.push({ type: 'error', error, ...details, ...report });
      return;
    }
    this.#assembler.finish();
    this.#start();
    const ending = this.#ending(part);
    const usage = finalUsage(part.bill, part.tier ?? this.#tier, part.toolCalls);
    const context = this.#shape.managesContext ? { context_management: { applied_edits: [] } } : {};
    const metadata = part.report && { service_metadata: serviceMetadata(part.report) };
    if (this.#request.stream) {
      this.#events.push({ type: 'message_delta', delta: { container: null, ...ending }, usage, ...context });
      this.#events.push({ type: 'message_stop', ...metadata });
      return;
    }
    const content = this.#assembler.blocks;
    this.#message = { ...this.#head(), content, ...ending, usage, ...context, ...metadata };
  }

  #ending({ finish = 'stop' }: EndedPart): Ending {
    const { refusal, calls } = this.#assembler;
    const reason = stopReasonOf({
      finish: this.#finish?.reason ?? finish,
      native: this.#finish?.native,
      refusal,
      calls,
    });
    const sequence = reason === 'stop_sequence' ? (this.#finish?.sequence ?? null) : null;
    const isRefusal = reason === 'refusal';
    return {
      stop_reason: reason,
      stop_details: isRefusal ? { type: 'refusal', category: null, explanation: refusal || null } : null,
      stop_sequence: sequence,
    };
  }
}

interface Ending {
  readonly stop_reason: StopReason;
  readonly stop_details: JsonObject | null;
  readonly stop_sequence: string | null;
}

const unended = { stop_reason: null, stop_details: null, stop_sequence: null };

function withoutUndefined(usage: JsonObject): JsonObject {
  return { ...usage, cache_creation: usage.cache_creation ?? null };
}

/** The text of a ping, which keeps a silent stream alive once it has begun. */
const ping = 'event: ping\ndata: {"type":"ping"}\n\n';

/** The text of events: name, one line of JSON, blank line. */
function encodeEvents(events: readonly (JsonObject & { readonly type: string })[]): string {
  let text = '';
  for (const event of events) text += `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  return wellFormedJson(text);
}

/** Reasons of providers of this format that have no word among the gateway's own. */
const natives: ReadonlySet<string | undefined> = new Set([
  'stop_sequence',
  'pause_turn',
  'compaction',
  'model_context_window_exceeded',
]);

/** Why an answer ended (docs/spec/messages.md#endings). */
function stopReasonOf({
  finish,
  native,
  refusal,
  calls,
}: {
  readonly finish: FinishReason;
  /** The provider's own reason. */
  readonly native: string | undefined;
  /** What the model said when it refused; empty when it did not. */
  readonly refusal: string;
  /** Whether it called tools of the client. */
  readonly calls: boolean;
}): StopReason {
  if (finish === 'content_filter') return 'refusal';
  if (finish === 'length') return native === 'model_context_window_exceeded' ? native : 'max_tokens';
  // Agents branch on it, whatever the provider said.
  if (calls) return 'tool_use';
  if (refusal !== '') return 'refusal';
  return natives.has(native) ? (native as StopReason) : 'end_turn';
}

/** The counts of an answer, in the words of this format (docs/spec/messages.md#usage). */
function messageUsage(usage: Usage, tier: ServedTier | undefined): JsonObject {
  const { cacheWrite, cacheWriteLong, output, reasoning, webSearches } = usage;
  const isCounted = totalInput(usage) !== undefined;
  const written =
    cacheWrite === undefined && cacheWriteLong === undefined ? undefined : [cacheWrite, cacheWriteLong];
  return {
    input_tokens: (usage.uncachedInput ?? 0) + (usage.audioInput ?? 0),
    output_tokens: output ?? 0,
    output_tokens_details: reasoning === undefined ? null : { thinking_tokens: reasoning },
    cache_creation_input_tokens: isCounted ? (cacheWrite ?? 0) + (cacheWriteLong ?? 0) : null,
    cache_read_input_tokens: isCounted ? (cachedInput(usage) ?? 0) : null,
    cache_creation: written && {
      ephemeral_5m_input_tokens: cacheWrite ?? 0,
      ephemeral_1h_input_tokens: cacheWriteLong ?? 0,
    },
    inference_geo: null,
    server_tool_use: webSearches ? { web_search_requests: webSearches, web_fetch_requests: 0 } : null,
    service_tier: tier === undefined ? null : tier === 'default' ? 'standard' : tierName(tier),
  };
}

/** The counts with what they cost. */
function finalUsage(
  bill: AnswerBill | undefined,
  tier: ServedTier | undefined,
  toolCalls: ToolCallCount | undefined,
): JsonObject {
  const usage = messageUsage(bill?.usage ?? {}, tier);
  if (bill === undefined) return { ...usage, cache_creation: usage.cache_creation ?? null };
  const { cost, unpriced, charge, isByok } = bill;
  const details = toolCalls && {
    tool_calls_requested: toolCalls.requested,
    tool_calls_executed: toolCalls.executed,
  };
  return {
    ...usage,
    cache_creation: usage.cache_creation ?? null,
    ...(unpriced ? {} : { cost: usdToNumber(charge) }),
    is_byok: isByok,
    cost_details: {
      upstream_inference_cost: isByok && !unpriced ? usdToNumber(cost.total) : null,
      upstream_inference_prompt_cost: usdToNumber(cost.input),
      upstream_inference_completions_cost: usdToNumber(cost.output),
    },
    ...(details && { server_tool_use_details: details }),
  };
}

/** Flexible service has no word here. */
function tierName(tier: ServedTier): string | null {
  return tier === 'priority' ? 'priority' : null;
}
