import type { Endpoint } from '../core/catalogue.ts';

/**
 * Outcomes of the attempts that count for health (docs/spec/routing.md#health): all except 400, 413, 429 and geographic
 * 403.
 */
export interface EndpointHealth {
  /** Of the last 30 minutes. */
  readonly attempts: number;
  readonly failures: number;
  /** Of the last 30 seconds. */
  readonly recentAttempts: number;
  readonly recentFailures: number;
  /** Whether the wait after a 429 is not over. */
  readonly coolingDown: boolean;
}

/**
 * The value that so many percent of requests reached or exceeded: the p90 of a throughput is below its p50
 * (docs/spec/routing.md#thresholds).
 */
export interface SpeedPercentiles {
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p99: number;
}

/**
 * The speed of an endpoint: over 5 minutes, or over longer while there were too few requests
 * (docs/spec/routing.md#statistics).
 */
export interface EndpointSpeed {
  /** Time to the first token, in milliseconds. */
  readonly latency?: SpeedPercentiles;
  /** In tokens a second. */
  readonly throughput?: SpeedPercentiles;
}

/** The signals of the exacto ordering (docs/spec/routing.md#quality-order); undefined where nothing was measured. */
export interface EndpointQuality {
  /** Of 30 minutes, in tokens per second. */
  readonly throughput?: { readonly requests: number; readonly value: number };
  /** Of 2 hours: requests that finished with tool calls, and the fraction of them with valid calls only. */
  readonly toolCalls?: { readonly requests: number; readonly successRate: number };
  /**
   * Compared with the model's baseline; undefined while the model has none. An endpoint without a score is `flagged`
   * too.
   */
  readonly benchmark?: 'good' | 'flagged';
}

/**
 * What is known of endpoints while one plan is made. A plan asks it for every reachable endpoint, so each answer must
 * be immediate; undefined means not measured. The presumed values (`prior`) are not part of it.
 */
export interface StatisticsSnapshot {
  /**
   * @param credentialId Selects the outcomes of one of an account's own credentials; without it those of the shared
   * one. The two are never mixed.
   */
  health(endpoint: Endpoint, credentialId?: string): EndpointHealth | undefined;
  /** With whichever credential. */
  speed(endpoint: Endpoint): EndpointSpeed | undefined;
  /** With whichever credential. */
  quality(endpoint: Endpoint): EndpointQuality | undefined;
}
