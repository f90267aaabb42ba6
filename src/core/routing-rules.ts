import type { FusionPanels } from './fusion.ts';

/**
 * When an endpoint counts as unreliable (docs/spec/routing.md#health). Shares are fractions, durations milliseconds.
 */
export interface HealthRules {
  /** With fewer requests in 30 minutes the uptime is not judged. */
  readonly uptimeRequests: number;
  /** Uptimes below which an endpoint comes after others, and is a last resort. */
  readonly reliableUptime: number;
  readonly usableUptime: number;
  /** The number of failures in the last 30 seconds, and their share of the requests, that make an outage. */
  readonly outageFailures: number;
  readonly outageShare: number;
  /** How long to avoid an endpoint after a 429 without a stated wait, and the maximum wait. */
  readonly rateLimitWait: number;
  readonly rateLimitWaitMax: number;
}

/** The parameters of the quality order (docs/spec/routing.md#quality-order). */
export interface ExactoRules {
  /** Streamed answers in 30 minutes that make a throughput comparable. */
  readonly throughputRequests: number;
  /** How many standard deviations below the median of its peers flag an endpoint. */
  readonly throughputDeviations: number;
  /** Answers with tool calls in 2 hours that make their success rate comparable. */
  readonly toolCallRequests: number;
  readonly toolCallDeviations: number;
  /** How many standard deviations below its model's baseline a benchmark score flags an endpoint. */
  readonly benchmarkDeviations: number;
  /** With fewer endpoints there is no comparison. */
  readonly peers: number;
}

/** What an operator decides for `service/auto` (docs/spec/routers.md#auto). */
export interface AutoRules {
  /** Slugs to choose among where no task is recognised, and to prefer among equals. */
  readonly defaultModels: readonly string[];
  /** Spend shares to begin with, by task and id of the model, each from 0 to 1. */
  readonly priors: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The chat or embedding model that is asked for the task; without one, rules alone decide. */
  readonly classifierModel?: string;
  /** Milliseconds it may take. */
  readonly classifierTimeout: number;
}

/** The parameters of routing that an operator can tune. */
export interface RoutingRules {
  /** Limit of models in a request. */
  readonly maxModels: number;
  /** Limit of endpoints that one request is sent to. */
  readonly maxAttempts: number;
  /** Whether the endpoint that failed for a moment is asked once more when no other is left (docs/spec/routing.md#attempts). */
  readonly retrySame: boolean;
  /**
   * Milliseconds without a success after which a conversation is no longer bound to its endpoint
   * (docs/spec/routing.md#stickiness).
   */
  readonly stickyLifetime: number;
  readonly health: HealthRules;
  readonly exacto: ExactoRules;
  readonly auto: AutoRules;
  /** The model behind `service/bodybuilder`; undefined where there is none. */
  readonly bodybuilder: { readonly model?: string };
  /** The panels of `tools.fusion`, of which fusion routers choose models. */
  readonly fusion: { readonly panels: FusionPanels };
}

/** The defaults. */
export const usualRoutingRules: RoutingRules = {
  maxModels: 10,
  maxAttempts: 10,
  retrySame: true,
  stickyLifetime: 600_000,
  health: {
    uptimeRequests: 100,
    reliableUptime: 0.95,
    usableUptime: 0.8,
    outageFailures: 2,
    outageShare: 0.2,
    rateLimitWait: 10_000,
    rateLimitWaitMax: 60_000,
  },
  exacto: {
    throughputRequests: 100,
    throughputDeviations: 1.5,
    toolCallRequests: 200,
    toolCallDeviations: 2,
    benchmarkDeviations: 2,
    peers: 4,
  },
  auto: { defaultModels: [], priors: {}, classifierTimeout: 300 },
  bodybuilder: {},
  fusion: { panels: {} },
};
