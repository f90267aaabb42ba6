import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { TelemetryConfig } from '../config/config.ts';
import {
  RequestTrace,
  type RequestTraces,
  type TracedExchange,
  type TraceHeaders,
} from '../ports/request-trace.ts';
import { requestSpans, type SpanSettings } from './request-spans.ts';
import type { TraceContext } from './trace-context.ts';

/** What an export is made of. */
interface ExportParts {
  readonly settings: SpanSettings;
  readonly context: TraceContext;
  /** Spans that may wait. */
  readonly mostWaiting: number;
  readonly send: (span: ReadableSpan) => void;
  /** Called with the spans of a request that found no room. */
  readonly onDropped: (spans: number) => void;
}

/** Begins notes of requests, and sends their spans once they are over: all of a request or none. */
export class TraceExport implements RequestTraces {
  readonly #sampling: TelemetryConfig['sampling'];
  readonly #parts: ExportParts;
  #waiting = 0;

  constructor({ sampling }: TelemetryConfig, parts: ExportParts) {
    this.#sampling = sampling;
    this.#parts = parts;
  }

  begin(exchange: TracedExchange, headers: TraceHeaders): RequestTrace | undefined {
    const { ratio, followParent, alwaysOnError } = this.#sampling;
    const isFollowed = followParent && headers.traceparent !== undefined;
    if (ratio === 0 && !alwaysOnError && !isFollowed) return undefined;
    const { context } = this.#parts;
    return new RequestTrace(exchange, context.placeOf(headers), {
      samples: (traceId) => context.samples(traceId),
      onOver: (trace) => this.#send(trace),
    });
  }

  /** So many spans wait no more. */
  exported(spans: number): void {
    this.#waiting -= spans;
  }

  #send(trace: RequestTrace): void {
    if (!trace.place.isSampled && !(this.#sampling.alwaysOnError && hasFailed(trace))) return;
    const { settings, mostWaiting, send, onDropped } = this.#parts;
    const spans = requestSpans(trace, settings);
    if (this.#waiting + spans.length > mostWaiting) {
      onDropped(spans.length);
      return;
    }
    this.#waiting += spans.length;
    for (const span of spans) send(span);
  }
}

/** Whether a request failed by fault of this server or of a provider, also where its answer had begun. */
function hasFailed({ end, turns }: RequestTrace): boolean {
  return (end?.status ?? 0) >= 500 || turns.some(({ generation }) => generation?.finishReason === 'error');
}
