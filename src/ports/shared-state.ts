import type { CachedAnswers } from './cached-answers.ts';
import type { EndpointStatistics } from './endpoint-statistics.ts';
import type { FreeRequests } from './free-requests.ts';
import type { InFlightBudget } from './in-flight-budget.ts';
import type { Invalidation } from './invalidation.ts';
import type { ProcessMessages } from './process-messages.ts';
import type { RateLimits } from './rate-limits.ts';
import type { StickyEndpoints } from './stickiness.ts';
import type { StoredAnswers } from './stored-answers.ts';

/**
 * The state of the shared store. It answers (as a store in this process always does); or it does not and requests
 * that need it are refused; or it does not and this process decides alone.
 */
export type SharedStateHealth = 'ok' | 'unreachable' | 'local';

/** What all processes of an installation count and remember together. */
export interface SharedState {
  readonly inFlightBudget: InFlightBudget;
  readonly freeRequests: FreeRequests;
  readonly rateLimits: RateLimits;
  readonly storedAnswers: StoredAnswers;
  readonly cachedAnswers: CachedAnswers;
  readonly stickyEndpoints: StickyEndpoints;
  /** Of this process, including what others report. */
  readonly statistics: EndpointStatistics;
  readonly invalidation: Invalidation;
  /** Undefined where one process keeps it alone. */
  readonly messages?: ProcessMessages;
  /** The last known state; costs nothing. */
  state(): SharedStateHealth;
  /** Closes the store. Later calls are refused. */
  close(): Promise<void>;
}
