import type { Endpoint } from '../core/catalogue.ts';

/**
 * How an attempt ended, as far as the endpoint is answerable for it (routing.md 3.6): an answer, five ways to fail,
 * and what counts separately or not at all.
 */
export type AttemptOutcome =
  | 'success'
  /** No connection, an upstream 5xx, an invalid or an empty answer. */
  | 'failed'
  | 'overloaded'
  | 'timeout'
  /** It broke off after output had begun. */
  | 'broken'
  /** 401, 402 or 403 for the credential. */
  | 'credential'
  | 'not_found'
  | 'rate_limited'
  /** A geographic 403. */
  | 'region'
  /** The request was refused for what it holds: 400, 413, 422. */
  | 'refused';

/** How many attempts ended in each way. */
export type OutcomeCounts = Readonly<Record<AttemptOutcome, number>>;

/** Outcomes that count against an endpoint's uptime (routing.md 3.6). */
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
 * One endpoint as some credential reaches it. How attempts with an account's own credential end is told of that pair
 * alone: it never speaks for the shared endpoint. How fast answers come and whether their calls are valid is the
 * endpoint's doing, whoever pays.
 */
export interface EndpointAccess {
  readonly endpoint: Endpoint;
  /** The account's own provider credential; undefined for the shared one. */
  readonly credentialId?: string;
}

/** What is told of one attempt once it has ended. Durations in milliseconds. */
export interface AttemptRecord extends EndpointAccess {
  /** Undefined when the attempt was given up before it could end: only its durations count. */
  readonly outcome?: AttemptOutcome;
  /** From sending to the first visible delta. Never of an unstreamed answer, whose first delta is its last. */
  readonly timeToFirstToken?: number;
  /** Output tokens a second from sending to the last delta. Never of an unstreamed answer. */
  readonly throughput?: number;
  /** Seconds for which nobody should ask again; only with `rate_limited`. */
  readonly retryAfter?: number;
}

/** What is measured: time to first token in milliseconds, output tokens a second. */
export type Metric = 'latency' | 'throughput';

/** How far back a reading goes. Windows end now and move in steps of at most a twentieth of their length. */
export type OutcomeWindow = '30s' | '5m' | '30m' | '1d';

/** How far back percentiles go. */
export type MetricWindow = '5m' | '30m' | '1d';

/** How many attempts with tool calls there were, and how many of them held a call that was not valid. */
export interface ToolCallCounts {
  readonly requests: number;
  readonly marked: number;
}

/** How attempts of one endpoint with one credential ended, at the moment of asking. */
export interface OutcomeFacts {
  uptime(window: OutcomeWindow): UptimeCounts;
  outcomes(window: OutcomeWindow): OutcomeCounts;
  /** Whether a 429 asked to wait and the wait is not over. */
  readonly coolingDown: boolean;
}

/** How well an endpoint answers, whoever's credential is used, at the moment of asking. */
export interface AnswerFacts {
  /** How many values of a metric a window holds. */
  samples(metric: Metric, window: MetricWindow): number;
  /**
   * For each of `percents` the value that so many of a hundred values of the window do not exceed, by nearest rank,
   * within 2 % of the exact one; undefined without values.
   * @param percents Ascending.
   */
  percentiles(metric: Metric, window: MetricWindow, percents: readonly number[]): number[] | undefined;
  /** Over the last two hours. */
  readonly toolCalls: ToolCallCounts;
}

/**
 * What endpoints did lately. Telling and asking are synchronous and cost microseconds: both happen on the way of every
 * request. Nothing told is ever refused, and memory stays bounded: whoever was silent longest is forgotten first.
 */
export interface EndpointStatistics {
  record(record: AttemptRecord): void;
  /** Tells whether all tool calls of one answer were valid (routing.md 3.9). */
  recordToolCalls(endpoint: Endpoint, valid: boolean): void;
  /** Undefined for who has not been told of within a day. */
  outcomes(access: EndpointAccess): OutcomeFacts | undefined;
  /** Undefined for who has not been told of within a day. */
  answers(endpoint: Endpoint): AnswerFacts | undefined;
}
