import type { FreeRequests } from './free-requests.ts';
import type { InFlightBudget } from './in-flight-budget.ts';
import type { StickyEndpoints } from './stickiness.ts';
import type { StoredAnswers } from './stored-answers.ts';

/** What all processes of an installation count and remember together. */
export interface SharedState {
  readonly inFlightBudget: InFlightBudget;
  readonly freeRequests: FreeRequests;
  readonly storedAnswers: StoredAnswers;
  readonly stickyEndpoints: StickyEndpoints;
}
