import {
  type ContentNotes,
  RequestTrace,
  type RequestTraces,
  type TracedExchange,
  type TraceHeaders,
} from '../ports/request-trace.ts';
import type { TraceContext } from './trace-context.ts';

/** What gets notes of requests that are over. */
export interface TraceSink {
  /** Whether it may want those of a request that begins. Costs next to nothing. */
  wants(headers: TraceHeaders): boolean;
  /** What notes what is said in a request that was read; undefined where it wants nothing of that. */
  content?(trace: RequestTrace): ContentNotes | undefined;
  /** A request is over. Never fails. */
  over(trace: RequestTrace): void;
}

/** Begins notes of requests where something wants them, and hands them on. */
export class SharedTraces implements RequestTraces {
  readonly #context: TraceContext;
  readonly #operator: TraceSink | undefined;
  readonly #sinks: readonly TraceSink[];

  /**
   * @param operator The export to the operator's collector, by whose sampling a trace is sampled.
   * @param others What else gets notes.
   */
  constructor(context: TraceContext, operator: TraceSink | undefined, others: readonly TraceSink[]) {
    this.#context = context;
    this.#operator = operator;
    this.#sinks = operator === undefined ? others : [operator, ...others];
  }

  begin(exchange: TracedExchange, headers: TraceHeaders): RequestTrace | undefined {
    const wanting = this.#sinks.filter((sink) => sink.wants(headers));
    if (wanting.length === 0) return undefined;
    const place = this.#context.placeOf(headers);
    // Without a collector of the operator nothing is sampled, so that no provider learns of a trace.
    const isOperators = this.#operator !== undefined;
    return new RequestTrace(exchange, isOperators ? place : { ...place, isSampled: false }, {
      samples: (traceId) => isOperators && this.#context.samples(traceId),
      // Each decides; what notes it is one for all.
      content: (trace) => wanting.map((sink) => sink.content?.(trace)).find((notes) => notes !== undefined),
      onOver: (trace) => {
        for (const sink of wanting) sink.over(trace);
      },
    });
  }
}
