import type { EndpointStatistics } from './endpoint-statistics.ts';
import type { FreeRequests } from './free-requests.ts';
import type { InFlightBudget } from './in-flight-budget.ts';
import type { Invalidation } from './invalidation.ts';
import type { StickyEndpoints } from './stickiness.ts';
import type { StoredAnswers } from './stored-answers.ts';

/**
 * How the store of the shared state does: it answers (what is in this process always does), it does not and requests
 * that need it are refused, or it does not and this process decides alone.
 */
export type SharedStateHealth = 'ok' | 'unreachable' | 'local';

/** What all processes of an installation count and remember together. */
export interface SharedState {
  readonly inFlightBudget: InFlightBudget;
  readonly freeRequests: FreeRequests;
  readonly storedAnswers: StoredAnswers;
  readonly stickyEndpoints: StickyEndpoints;
  /** Of this process, with what others tell. */
  readonly statistics: EndpointStatistics;
  readonly invalidation: Invalidation;
  /** Costs nothing: it is what was seen last. */
  state(): SharedStateHealth;
  /** Lets go of the store. What is asked afterwards is refused. */
  close(): Promise<void>;
}
