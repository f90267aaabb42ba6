import type { JsonObject } from '../util/json.ts';
import type { RouterStrategy } from './router-names.ts';

/** How a request was routed: what a client sees that asks for routing metadata. Every public dialect writes it. */
export interface RouteReport {
  /** The first model named. */
  readonly requested: string;
  readonly strategy: 'direct' | 'alias' | 'latest' | 'fallback' | RouterStrategy;
  /** The name of this place. */
  readonly region?: string;
  /** The endpoint that serves; undefined when the request failed. */
  readonly selected?: ReportedEndpoint;
  /** The plan in its order or, when it is empty, every endpoint that was considered. */
  readonly available: readonly ReportedEndpoint[];
  /** How many endpoints were considered before any was excluded. */
  readonly total: number;
  readonly isByok: boolean;
  /** How many endpoints were asked. A request that a stage refused counts as one. */
  readonly attempt: number;
  readonly attempts: readonly ReportedAttempt[];
  /** The family of the model that serves, or of the first candidate. */
  readonly versionGroup?: string;
  /** The throughput the caller prefers at least, in tokens per second. */
  readonly throughputFloor?: number;
  /** In the order of execution. */
  readonly pipeline: readonly PipelineEntry[];
  /** Milliseconds from the first fragment of the answer to its last. */
  readonly generationTime?: number;
}

/** An endpoint as a report names it. */
export interface ReportedEndpoint {
  /** The provider's name. */
  readonly provider: string;
  readonly model: string;
}

/** An attempt as a report names it. */
export interface ReportedAttempt extends ReportedEndpoint {
  readonly status: number;
}

/** What one stage changed or judged. */
export interface PipelineEntry {
  readonly type: string;
  readonly name: string;
  readonly summary?: string;
  readonly data?: JsonObject;
  /** USD. */
  readonly costUsd?: number;
  readonly guardrailId?: string;
  readonly guardrailScope?: string;
}
