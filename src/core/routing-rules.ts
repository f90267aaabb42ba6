/** When an endpoint counts as unreliable (routing.md 3.6). Shares are fractions, durations milliseconds. */
export interface HealthRules {
  /** Fewer requests than this in 30 minutes say nothing of the uptime. */
  readonly uptimeRequests: number;
  /** Uptimes below which an endpoint comes behind others, and is a last resort. */
  readonly reliableUptime: number;
  readonly usableUptime: number;
  /** Failures of the last 30 seconds that make an outage, if they are at least this share of the requests. */
  readonly outageFailures: number;
  readonly outageShare: number;
  /** How long a 429 keeps an endpoint back when it names no wait, and at most. */
  readonly rateLimitWait: number;
  readonly rateLimitWaitMax: number;
}

/** What quality order goes by (routing.md 3.9). */
export interface ExactoRules {
  /** Streamed answers of 30 minutes that make a throughput comparable. */
  readonly throughputRequests: number;
  /** How many standard deviations below the median of its peers flag an endpoint. */
  readonly throughputDeviations: number;
  /** Answers with tool calls of 2 hours that make their success comparable. */
  readonly toolCallRequests: number;
  readonly toolCallDeviations: number;
  /** How many standard deviations below its model's baseline a benchmark score flags an endpoint. */
  readonly benchmarkDeviations: number;
  /** Fewer endpoints than this cannot be compared. */
  readonly peers: number;
}

/** The numbers of routing an operator can tune. */
export interface RoutingRules {
  /** Models one request may name. */
  readonly maxModels: number;
  /** Endpoints one request is sent to at most. */
  readonly maxAttempts: number;
  /** Milliseconds without a success after which a conversation is not bound to its endpoint any more (6.1.6). */
  readonly stickyLifetime: number;
  readonly health: HealthRules;
  readonly exacto: ExactoRules;
}

/** What holds unless a configuration says otherwise. */
export const usualRoutingRules: RoutingRules = {
  maxModels: 10,
  maxAttempts: 10,
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
};
