import type { AnswerBill, AnswerParts, EndedPart, ToolCallCount } from '../../../core/answer-part.ts';
import { asyncToolNames, offeredTools } from '../../../core/client-tools.ts';
import { type FinishReason, textSize } from '../../../core/delta.ts';
import { type ErrorType, type HeadgateError, publicMessage } from '../../../core/errors.ts';
import { createId } from '../../../core/ids.ts';
import type { InferenceRequest } from '../../../core/inference-request.ts';
import { usdToNumber, zeroUsd } from '../../../core/money.ts';
import { mayNameRouter } from '../../../core/router-names.ts';
import { cachedInput, totalInput } from '../../../core/usage.ts';
import { type JsonObject, wellFormedJson } from '../../../util/json.ts';
import { inPieces, jsonPieces } from '../../../util/json-pieces.ts';
import { Assembler } from '../../gateway/assembly/assembler.ts';
import type {
  OutputItem,
  ResponseEcho,
  ResponseError,
  ResponseObject,
  ResponseUsage,
  StreamEvent,
} from '../../gateway/assembly/response.ts';
import { responseErrorCode } from '../../gateway/assembly/response-error-code.ts';
import { type AnswerText, type AnswerWriter, keepAliveComment } from '../../public-dialect.ts';
import { serviceMetadata } from '../../service-metadata.ts';

const nothingUsed: AnswerBill = {
  usage: {},
  cost: { total: zeroUsd, input: zeroUsd, output: zeroUsd },
  unpriced: false,
  charge: zeroUsd,
  isByok: false,
};

/**
 * The public `usage` of an answer (docs/spec/answers.md#usage). Unknown counts show as 0 here; the record keeps them
 * apart. A cost that is unknown because a price is missing is null. Without a bill nothing was used or charged.
 */
export function toResponseUsage(bill: AnswerBill | undefined, toolCalls?: ToolCallCount): ResponseUsage {
  const { usage, cost, unpriced, charge, isByok } = bill ?? nothingUsed;
  const input = totalInput(usage) ?? 0;
  const output = usage.output ?? 0;
  const { cacheWrite, cacheWriteLong, webSearches } = usage;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cachedInput(usage) ?? 0,
      cache_write_tokens: (cacheWrite ?? 0) + (cacheWriteLong ?? 0),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input + output,
    cost: unpriced ? null : usdToNumber(charge),
    is_byok: isByok,
    cost_details: {
      upstream_inference_cost: isByok && !unpriced ? usdToNumber(cost.total) : null,
      upstream_inference_input_cost: usdToNumber(cost.input),
      upstream_inference_output_cost: usdToNumber(cost.output),
    },
    // Searches that a provider ran are no calls of ours.
    ...((webSearches || toolCalls) && {
      server_tool_use_details: {
        tool_calls_requested: toolCalls?.requested ?? 0,
        tool_calls_executed: toolCalls?.executed ?? 0,
        web_search_requests: webSearches ?? 0,
      },
    }),
  };
}

/** The text every stream ends with. */
const sentinel = 'data: [DONE]\n\n';

/** The text of events: name, one line of JSON, blank line. */
export function encodeEvents(events: readonly StreamEvent[]): string {
  let text = '';
  let snapshot: { readonly of: ResponseObject; readonly json: string } | undefined;
  let part: { readonly of: TextDelta; readonly head: string } | undefined;
  for (const event of events) {
    if (event.type === 'response.output_text.delta' && event.logprobs.length === 0) {
      // Nine of ten events are this one: written so it costs a fifth.
      if (part === undefined || !isOfSamePart(event, part.of)) part = { of: event, head: headOf(event) };
      const { delta, sequence_number } = event;
      text += `${part.head}${JSON.stringify(delta)},"logprobs":[],"sequence_number":${sequence_number}}\n\n`;
    } else if (event.type === 'response.created' || event.type === 'response.in_progress') {
      // The first two events show the same snapshot, which may hold many tools.
      if (snapshot?.of !== event.response) {
        snapshot = { of: event.response, json: JSON.stringify(event.response) };
      }
      const data = `{"type":"${event.type}","response":${snapshot.json},"sequence_number":${event.sequence_number}}`;
      text += `event: ${event.type}\ndata: ${data}\n\n`;
    } else text += `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  }
  return wellFormedJson(text);
}

/**
 * The same text in pieces, for events that may repeat megabytes.
 * @param last What follows them.
 */
function encodeLargeEvents(events: readonly StreamEvent[], last: string): Iterable<string> {
  return inPieces(textsOf(events, last));
}

function* textsOf(events: readonly StreamEvent[], last: string): Generator<string, void> {
  let small: StreamEvent[] = [];
  for (const event of events) {
    if (event.type.endsWith('.delta')) {
      small.push(event);
      continue;
    }
    if (small.length > 0) yield encodeEvents(small);
    small = [];
    yield `event: ${event.type}\ndata: `;
    yield* jsonPieces(event);
    yield '\n\n';
  }
  yield encodeEvents(small) + last;
}

type TextDelta = Extract<StreamEvent, { type: 'response.output_text.delta' }>;

function isOfSamePart(event: TextDelta, other: TextDelta): boolean {
  return event.item_id === other.item_id && event.content_index === other.content_index;
}

/** A text delta's event up to its text; ids are our own and need no escape. */
function headOf({ type, item_id, output_index, content_index }: TextDelta): string {
  return `event: ${type}\ndata: {"type":"${type}","item_id":"${item_id}","output_index":${output_index},"content_index":${content_index},"delta":`;
}

/** Bytes of text from which on events that repeat it are encoded in pieces. */
const largeAnswer = 256 * 1024;

const nothing: ReadonlySet<string> = new Set();

/** Writes an answer as a response object, or as the events of a stream: lifecycle events around those of the assembler. */
export class ResponsesWriter implements AnswerWriter {
  readonly #request: InferenceRequest;
  readonly #echo: ResponseEcho;
  readonly #keepAlive: 'events' | 'comments';
  readonly #assembler: Assembler;
  #events: StreamEvent[] = [];
  /** The snapshot that begins the answer. */
  #begun: ResponseObject | undefined;
  /** How often the stream was silent. */
  #silences = 0;
  #response: ResponseObject | undefined;
  /** Bytes of all texts, about. */
  #size = 0;

  /** @param keepAlive What a silent stream says. */
  constructor(request: InferenceRequest, echo: ResponseEcho, keepAlive: 'events' | 'comments' = 'events') {
    const { canonical, stream } = request;
    this.#request = request;
    this.#echo = echo;
    this.#keepAlive = keepAlive;
    this.#assembler = new Assembler(
      {
        includeEncryptedReasoning: canonical.includeEncryptedReasoning,
        excludeReasoning: canonical.reasoning?.exclude === true,
        asyncTools: asyncToolNames(offeredTools(canonical)),
        include: canonical.include === undefined ? nothing : new Set(canonical.include),
      },
      // An unstreamed answer is the terminal snapshot alone, so its other events are not kept.
      stream ? (event) => this.#events.push(event) : () => {},
    );
  }

  write(parts: AnswerParts): AnswerText {
    for (const part of parts) {
      switch (part.kind) {
        case 'sent':
          this.#assembler.emit({ type: 'response.debug', debug: { echo_upstream_body: part.body } });
          break;
        case 'opened':
          this.#begin(part.model, part.at);
          break;
        case 'files':
          this.#assembler.pushFiles(part.files);
          break;
        case 'executing':
        case 'progress':
        case 'executed':
        case 'suspended':
          this.#assembler.pushTool(part);
          break;
        case 'ended':
          this.#end(part);
          break;
        case 'reported':
        case 'left_out':
        case 'settled':
          break;
        default:
          this.#size += textSize(part);
          this.#assembler.push(part);
      }
    }
    if (this.#events.length === 0) return '';
    const events = this.#events;
    this.#events = [];
    const last = this.#response === undefined ? '' : sentinel;
    if (this.#isLarge) return encodeLargeEvents(events, last);
    return encodeEvents(events) + last;
  }

  body(): AnswerText {
    return this.#isLarge ? jsonPieces(this.#response) : JSON.stringify(this.#response);
  }

  /**
   * A comment and, because some clients measure the time between events, `response.in_progress` again. An answer that stays
   * silent is announced where no other model can answer, unless what was sent to a provider is to open the stream.
   */
  keepAlive(asked: string | undefined, at: number): string | undefined {
    if (this.#response !== undefined || this.#keepAlive === 'comments') return undefined;
    this.#silences += 1;
    const mayBegin = this.#silences > 1 && !this.#request.echoUpstreamBody && hasOneModel(this.#request);
    if (this.#begun !== undefined)
      this.#assembler.emit({ type: 'response.in_progress', response: this.#begun });
    else if (asked !== undefined && mayBegin) this.#begin(asked, at);
    const events = this.#events;
    this.#events = [];
    return events.length === 0 ? undefined : keepAliveComment + encodeEvents(events);
  }

  get #isLarge(): boolean {
    return this.#size > largeAnswer;
  }

  /** Announces the response (docs/spec/answers.md#order-of-events). Only the first turn of an answer does. */
  #begin(model: string, at: number): ResponseObject {
    if (this.#begun !== undefined) return this.#begun;
    const response = beginResponse({
      id: createId('resp_'),
      createdAt: inSeconds(at),
      model,
      echo: this.#echo,
    });
    this.#begun = response;
    this.#assembler.emit({ type: 'response.created', response });
    this.#assembler.emit({ type: 'response.in_progress', response });
    return response;
  }

  #end(part: EndedPart): void {
    const begun = this.#begin(this.#request.models[0] ?? '', part.at);
    const ending = endingOf(part);
    if (part.error === undefined) this.#complete(begun, part, ending);
    else this.#fail(begun, part.error, ending);
  }

  #complete(begun: ResponseObject, { finish = 'stop' }: EndedPart, ending: ResponseEnding): void {
    const assembler = this.#assembler;
    // Does nothing where the model itself ended the answer: then its own reason counts.
    assembler.finish(finish);
    const response = endResponse(begun, assembler.output, assembler.finishReason ?? finish, ending);
    const type = response.status === 'completed' ? 'response.completed' : 'response.incomplete';
    this.#response = response;
    assembler.emit({ type, response });
  }

  /** Ends the answer after a failure (docs/spec/errors.md#placement): a flat error event, then the failed response. */
  #fail(begun: ResponseObject, error: HeadgateError, ending: ResponseEnding): void {
    const failure = toResponseError(error);
    const response = failResponse(begun, this.#assembler.abandon(), failure, error.type, ending);
    this.#response = response;
    this.#assembler.emit({ type: 'error', code: failure.code, message: failure.message, param: null });
    this.#assembler.emit({ type: 'response.failed', response });
  }
}

/** Whether the model that answers is known before it does. */
function hasOneModel(request: InferenceRequest): boolean {
  return request.models.length === 1 && !mayNameRouter(request);
}

function endingOf({ bill, toolCalls, tier, report, at }: EndedPart): ResponseEnding {
  return {
    usage: toResponseUsage(bill, toolCalls),
    serviceTier: tier,
    metadata: report && serviceMetadata(report),
    completedAt: inSeconds(at),
  };
}

/** Unix milliseconds as whole Unix seconds. */
function inSeconds(at: number): number {
  return Math.floor(at / 1000);
}

function toResponseError(error: HeadgateError): ResponseError {
  const code = responseErrorCode(error.type);
  const { availability, limit_source, reason, remedy_hint } = error.metadata;
  const failure: ResponseError = { code, message: publicMessage(error), type: code };
  if (availability !== undefined) failure.metadata = { availability };
  // Clients branch on the source, which no code of the enumeration shows (docs/spec/money.md#fallbacks-and-the-budget).
  if (limit_source !== undefined)
    failure.metadata = { code: error.status, limit_source, reason, remedy_hint };
  return failure;
}

/** What is known of an answer when its first snapshot is made. */
interface ResponseIdentity {
  readonly id: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** The slug that serves. */
  readonly model: string;
  readonly echo: ResponseEcho;
}

/** What the last snapshot adds. */
interface ResponseEnding {
  readonly usage: ResponseUsage;
  /** The tier that served; undefined when the provider reported none. */
  readonly serviceTier?: string;
  readonly metadata?: JsonObject;
  /** Unix seconds. */
  readonly completedAt: number;
}

/** The snapshot of `response.created` and `response.in_progress` (docs/spec/answers.md#response-object). */
export function beginResponse(identity: ResponseIdentity): ResponseObject {
  return {
    id: identity.id,
    object: 'response',
    created_at: identity.createdAt,
    completed_at: null,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    model: identity.model,
    output: [],
    usage: null,
    ...identity.echo,
  };
}

/** The last snapshot of an answer the model ended itself, whole or cut off (docs/spec/answers.md#status). */
export function endResponse(
  begun: ResponseObject,
  output: readonly OutputItem[],
  reason: FinishReason,
  ending: ResponseEnding,
): ResponseObject {
  const cut = reason === 'length' ? 'max_output_tokens' : reason === 'content_filter' ? reason : undefined;
  return {
    ...begun,
    status: cut === undefined ? 'completed' : 'incomplete',
    completed_at: cut === undefined ? ending.completedAt : null,
    incomplete_details: cut === undefined ? null : { reason: cut },
    output,
    ...endingMembers(begun, ending),
  };
}

/** The last snapshot of an answer that broke off. */
export function failResponse(
  begun: ResponseObject,
  output: readonly OutputItem[],
  error: ResponseError,
  type: ErrorType,
  ending: ResponseEnding,
): ResponseObject {
  return { ...begun, status: 'failed', error, error_type: type, output, ...endingMembers(begun, ending) };
}

function endingMembers(begun: ResponseObject, ending: ResponseEnding): Partial<ResponseObject> {
  const members = { usage: ending.usage, service_tier: ending.serviceTier ?? begun.service_tier };
  return ending.metadata === undefined ? members : { ...members, service_metadata: ending.metadata };
}
