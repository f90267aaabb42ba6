import type { Endpoint } from '../core/catalogue.ts';

/**
 * The outcome of an attempt, as far as the endpoint is responsible (docs/spec/routing.md#health): an answer, five kinds
 * of failure, and outcomes that count separately or not at all.
 */
export type AttemptOutcome =
  | 'success'
  /** No connection, an upstream 5xx, an invalid or an empty answer. */
  | 'failed'
  | 'overloaded'
  | 'timeout'
  /** The answer broke off after output had begun. */
  | 'broken'
  /** 401, 402 or 403 for the credential. */
  | 'credential'
  | 'not_found'
  | 'rate_limited'
  /** A geographic 403. */
  | 'region'
  /** The request was refused for its content: 400, 413, 422. */
  | 'refused';

/** How many attempts ended in each way. */
export type OutcomeCounts = Readonly<Record<AttemptOutcome, number>>;

/** Outcomes that count against an endpoint's uptime (docs/spec/routing.md#health). */
export const uptimeFailures = [
  'failed',
  'overloaded',
  'timeout',
  'broken',
  'credential',
  'not_found',
] as const satisfies readonly AttemptOutcome[];

/** Attempts that succeeded or count against the uptime. */
export interface UptimeCounts {
  readonly attempts: number;
  readonly failures: number;
}

/**
 * One endpoint with one credential. Outcomes with an account's own credential count only for that pair, never for the
 * shared endpoint. The speed of answers and the validity of calls count for the endpoint, whichever credential was
 * used.
 */
export interface EndpointAccess {
  readonly endpoint: Endpoint;
  /** The account's own provider credential, or `key 2` and so on for further shared ones; undefined for the shared one. */
  readonly credentialId?: string;
}

/** The record of one attempt after its end. Durations in milliseconds. */
export interface AttemptRecord extends EndpointAccess {
  /** Undefined when the attempt was aborted: only its durations count. */
  readonly outcome?: AttemptOutcome;
  /**
   * From sending to the first visible delta. Undefined for an unstreamed answer, whose first delta is its last.
   */
  readonly timeToFirstToken?: number;
  /** Output tokens per second from sending to the last delta. Undefined for an unstreamed answer. */
  readonly throughput?: number;
  /** Seconds for which nobody should call again; only with `rate_limited`, or `credential` where others serve meanwhile. */
  readonly retryAfter?: number;
}

/** What is measured: time to first token in milliseconds, output tokens per second. */
export type Metric = 'latency' | 'throughput';

/** The time range of a reading. Windows end now and move in steps of at most a twentieth of their length. */
export type OutcomeWindow = '30s' | '5m' | '30m' | '1d';

/** The time range of percentiles. */
export type MetricWindow = '5m' | '30m' | '1d';

/** The number of attempts with tool calls, and of those with an invalid call. */
export interface ToolCallCounts {
  readonly requests: number;
  readonly marked: number;
}

/** The current outcomes of one endpoint with one credential. */
export interface OutcomeFacts {
  uptime(window: OutcomeWindow): UptimeCounts;
  outcomes(window: OutcomeWindow): OutcomeCounts;
  /** Whether the wait after a 429 is not over. */
  readonly coolingDown: boolean;
  /** Milliseconds until it is over; 0 where it is. */
  readonly coolsFor: number;
  /** Milliseconds since the last success; undefined without one. */
  readonly sinceSuccess: number | undefined;
}

/** The current quality of an endpoint's answers, with whichever credential. */
export interface AnswerFacts {
  /** How many values of a metric are in a window. */
  samples(metric: Metric, window: MetricWindow): number;
  /**
   * For each of `percents`, the value that so many percent of the window's values do not exceed, by nearest rank,
   * within 2 % of the exact one; undefined without values.
   * @param percents Ascending.
   */
  percentiles(metric: Metric, window: MetricWindow, percents: readonly number[]): number[] | undefined;
  /** Over the last two hours. */
  readonly toolCalls: ToolCallCounts;
}

/**
 * The recent behaviour of endpoints. Recording and reading are synchronous and cost microseconds, because every
 * request does both. Records are never refused, and memory is bounded: the endpoint without records for the longest
 * time is evicted first.
 */
export interface EndpointStatistics {
  record(record: AttemptRecord): void;
  /** Records whether all tool calls of one answer were valid (docs/spec/routing.md#faulty-calls). */
  recordToolCalls(endpoint: Endpoint, valid: boolean): void;
  /** Undefined without records of the last day. */
  outcomes(access: EndpointAccess): OutcomeFacts | undefined;
  /** Undefined without records of the last day. */
  answers(endpoint: Endpoint): AnswerFacts | undefined;
}
