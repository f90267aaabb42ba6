import type { Endpoint } from '../core/catalogue.ts';

/** What became of the attempts that count for health (routing.md 3.6): neither 400, 413, 429 nor geographic 403. */
export interface EndpointHealth {
  /** Of the last 30 minutes. */
  readonly attempts: number;
  readonly failures: number;
  /** Of the last 30 seconds. */
  readonly recentAttempts: number;
  readonly recentFailures: number;
  /** After a 429: whether the wait is not over. */
  readonly coolingDown: boolean;
}

/** The value reached or bettered by that many of a hundred requests: for a throughput p90 lies below p50 (routing.md 3.8). */
export interface SpeedPercentiles {
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p99: number;
}

/** How fast an endpoint is: over 5 minutes, or over longer while there were too few requests (routing.md 11). */
export interface EndpointSpeed {
  /** Time to the first token, in milliseconds. */
  readonly latency?: SpeedPercentiles;
  /** In tokens a second. */
  readonly throughput?: SpeedPercentiles;
}

/** What exacto goes by (routing.md 3.9); undefined where nothing was measured. */
export interface EndpointQuality {
  /** Of 30 minutes, in tokens a second. */
  readonly throughput?: { readonly requests: number; readonly value: number };
  /** Of 2 hours: requests that finished with tool calls, and the fraction of them with valid calls only. */
  readonly toolCalls?: { readonly requests: number; readonly successRate: number };
  /** Against the model's baseline; undefined while the model has none, `flagged` also for an endpoint without a score. */
  readonly benchmark?: 'good' | 'flagged';
}

/**
 * What is known of endpoints while one plan is made. It is asked for every endpoint a request may reach, so each
 * answer must be at hand; undefined means that nothing was measured. What an endpoint is presumed to do until then
 * (`prior`) is the plan's matter.
 */
export interface StatisticsSnapshot {
  /**
   * @param credentialId Asks for what happened to one of an account's own credentials; without it for what happened
   *   to the shared one. The two never mix.
   */
  health(endpoint: Endpoint, credentialId?: string): EndpointHealth | undefined;
  /** Whoever's credential was used. */
  speed(endpoint: Endpoint): EndpointSpeed | undefined;
  /** Whoever's credential was used. */
  quality(endpoint: Endpoint): EndpointQuality | undefined;
}
