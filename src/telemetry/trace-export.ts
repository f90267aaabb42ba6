import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { TelemetryConfig } from '../config/config.ts';
import type { RequestTrace, TraceHeaders } from '../ports/request-trace.ts';
import { requestSpans, type SpanSettings } from './request-spans.ts';
import type { TraceSink } from './request-traces.ts';

/** What an export is made of. */
interface ExportParts {
  readonly settings: SpanSettings;
  /** Spans that may wait. */
  readonly mostWaiting: number;
  readonly send: (span: ReadableSpan) => void;
  /** Called with the spans of a request that found no room. */
  readonly onDropped: (spans: number) => void;
}

/** Sends the spans of requests to the operator's collector: all of a request or none. */
export class TraceExport implements TraceSink {
  readonly #sampling: TelemetryConfig['sampling'];
  readonly #parts: ExportParts;
  #waiting = 0;

  constructor({ sampling }: TelemetryConfig, parts: ExportParts) {
    this.#sampling = sampling;
    this.#parts = parts;
  }

  wants({ traceparent }: TraceHeaders): boolean {
    const { ratio, followParent, alwaysOnError } = this.#sampling;
    return ratio > 0 || alwaysOnError || (followParent && traceparent !== undefined);
  }

  /** So many spans wait no more. */
  exported(spans: number): void {
    this.#waiting -= spans;
  }

  over(trace: RequestTrace): void {
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
