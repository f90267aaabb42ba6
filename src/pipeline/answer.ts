import { Assembler } from '../assembly/assembler.ts';
import {
  beginResponse,
  endResponse,
  failResponse,
  type ResponseEnding,
} from '../assembly/response-builder.ts';
import { asyncToolNames, offeredTools } from '../core/client-tools.ts';
import type { Delta, ServedTier } from '../core/delta.ts';
import { type HeadgateError, publicMessage, responseErrorCode } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { ResponseError, ResponseObject, StreamEvent } from '../core/response.ts';
import type { Clock } from '../ports/clock.ts';
import type { Target } from '../routing/route-plan.ts';
import type { SettledBill } from '../settlement/bill.ts';
import { toResponseUsage } from '../settlement/response-usage.ts';
import type { JsonObject } from '../util/json.ts';
import type { RefusedCall } from './refused-call.ts';

const nothing: ReadonlySet<string> = new Set();

/** The answer to one call: its lifecycle events around what the assembler makes of the deltas. */
export class Answer {
  readonly #clock: Clock;
  readonly #begun: ResponseObject;
  readonly #assembler: Assembler;
  readonly #streamed: boolean;
  #events: StreamEvent[] = [];
  #announced = false;
  #told = false;

  constructor(request: InferenceRequest, target: Pick<Target, 'model'> | undefined, clock: Clock) {
    this.#clock = clock;
    this.#streamed = request.stream;
    this.#begun = beginResponse({
      id: createId('resp_'),
      createdAt: this.#now(),
      model: target?.model.id ?? request.models[0] ?? '',
      echo: request.echo,
    });
    this.#assembler = new Assembler(
      {
        includeEncryptedReasoning: request.canonical.includeEncryptedReasoning,
        excludeReasoning: request.canonical.reasoning?.exclude === true,
        asyncTools: asyncToolNames(offeredTools(request.canonical)),
        include: request.canonical.include === undefined ? nothing : new Set(request.canonical.include),
      },
      // An unstreamed answer is the terminal snapshot alone, so its other events are not kept.
      request.stream ? (event) => this.#events.push(event) : () => {},
    );
  }

  /** Whether any item was announced: from then on a limit ends the answer instead of failing it. */
  get begun(): boolean {
    return this.#assembler.begun;
  }

  /** Whether a failure belongs into the answer: something of a stream was taken, or an unstreamed one has an item. */
  get committed(): boolean {
    return this.#streamed ? this.#told : this.#assembler.begun;
  }

  /** Announces the response, after the debug events that open the stream (responses.md 8.3.2, 8.3.12). */
  begin(bodies: readonly unknown[]): void {
    if (this.#announced) return;
    this.#announced = true;
    for (const body of bodies) {
      this.#assembler.emit({ type: 'response.debug', debug: { echo_upstream_body: body } });
    }
    this.#assembler.emit({ type: 'response.created', response: this.#begun });
    this.#assembler.emit({ type: 'response.in_progress', response: this.#begun });
  }

  push(delta: Delta): void {
    this.#assembler.push(delta);
  }

  /** Ends the answer where a provider's limit cut it off, when it was told by an error (responses.md 9.4). */
  cutOff(): void {
    this.#assembler.finish('length');
  }

  /** The events since the last call. */
  take(): readonly StreamEvent[] {
    const events = this.#events;
    this.#events = [];
    this.#told ||= events.length > 0;
    return events;
  }

  /** Ends the answer as the model ended it; its terminal event is the last one taken. */
  end(ending: AnswerEnding): ResponseObject {
    const reason = this.#assembler.finishReason ?? 'stop';
    const response = endResponse(this.#begun, this.#assembler.output, reason, this.#ending(ending));
    const type = response.status === 'completed' ? 'response.completed' : 'response.incomplete';
    this.#assembler.emit({ type, response });
    return response;
  }

  /** Ends the answer after a failure (responses.md 9.3.2): a flat error event, then the failed response. */
  fail(error: HeadgateError, ending: AnswerEnding): ResponseObject {
    const failure = toResponseError(error);
    const output = this.#assembler.abandon();
    const response = failResponse(this.#begun, output, failure, error.type, this.#ending(ending));
    this.#assembler.emit({ type: 'error', code: failure.code, message: failure.message, param: null });
    this.#assembler.emit({ type: 'response.failed', response });
    return response;
  }

  #ending({ bill, tier, metadata }: AnswerEnding): ResponseEnding {
    return {
      usage: toResponseUsage(bill),
      serviceTier: tier,
      metadata,
      completedAt: this.#now(),
    };
  }

  #now(): number {
    return Math.floor(this.#clock.now() / 1000);
  }
}

/** What is known at the end of an answer. */
export interface AnswerEnding {
  readonly bill?: SettledBill;
  readonly tier?: ServedTier;
  readonly metadata?: JsonObject;
}

/** The whole stream of an answer that failed after its status was sent but before a provider answered. */
export function refusedAnswer(
  request: InferenceRequest,
  { error, metadata, bodies }: RefusedCall,
  clock: Clock,
): readonly StreamEvent[] {
  const answer = new Answer(request, undefined, clock);
  answer.begin(bodies);
  answer.fail(error, { metadata });
  return answer.take();
}

function toResponseError(error: HeadgateError): ResponseError {
  const code = responseErrorCode(error.type);
  const { availability, limit_source, reason, remedy_hint } = error.metadata;
  const failure: ResponseError = { code, message: publicMessage(error), type: code };
  if (availability !== undefined) failure.metadata = { availability };
  // Clients branch on the source, which no code of the enumeration tells (accounts-and-limits 11, case 1).
  if (limit_source !== undefined)
    failure.metadata = { code: error.status, limit_source, reason, remedy_hint };
  return failure;
}
