import type { AnswerParts, EndedPart } from '../../../core/answer-part.ts';
import { asyncToolNames, offeredTools } from '../../../core/client-tools.ts';
import { textSize } from '../../../core/delta-size.ts';
import { type HeadgateError, publicMessage } from '../../../core/errors.ts';
import { createId } from '../../../core/ids.ts';
import type { InferenceRequest } from '../../../core/inference-request.ts';
import { mayNameRouter } from '../../../core/router-names.ts';
import { jsonPieces } from '../../../util/json-pieces.ts';
import { Assembler } from '../../gateway/assembly/assembler.ts';
import type {
  ResponseEcho,
  ResponseError,
  ResponseObject,
  StreamEvent,
} from '../../gateway/assembly/response.ts';
import { responseErrorCode } from '../../gateway/assembly/response-error-code.ts';
import { type AnswerText, type AnswerWriter, keepAliveComment } from '../../public-dialect.ts';
import { serviceMetadata } from '../../service-metadata.ts';
import { encodeEvents, encodeLargeEvents, sentinel } from './encode-events.ts';
import { beginResponse, endResponse, failResponse, type ResponseEnding } from './response-builder.ts';
import { toResponseUsage } from './response-usage.ts';

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
