import type { AnswerParts, EndedPart } from '../../../core/answer-part.ts';
import type { Delta } from '../../../core/delta.ts';
import { publicMessage } from '../../../core/errors.ts';
import { createId } from '../../../core/ids.ts';
import type { InferenceRequest } from '../../../core/inference-request.ts';
import { type ParsedFile, toFileAnnotation } from '../../../core/parsed-file.ts';
import type { Usage } from '../../../core/usage.ts';
import type { JsonObject } from '../../../util/json.ts';
import { jsonPieces } from '../../../util/json-pieces.ts';
import type { AnswerText, AnswerWriter, CarrierSeal } from '../../public-dialect.ts';
import { serviceMetadata } from '../../service-metadata.ts';
import { errorObject } from '../describe-error.ts';
import type { AnswerShape } from '../request/read-messages-request.ts';
import { BlockAssembler } from './block-assembler.ts';
import { encodeEvents, ping } from './encode-events.ts';
import type { StopReason } from './message.ts';
import { finalUsage, messageUsage } from './message-usage.ts';
import { stopReasonOf } from './stop-reason.ts';

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
