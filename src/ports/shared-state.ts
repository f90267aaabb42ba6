import type { FreeRequests } from './free-requests.ts';
import type { InFlightBudget } from './in-flight-budget.ts';

/** What all processes of an installation count together. */
export interface SharedState {
  readonly inFlightBudget: InFlightBudget;
  readonly freeRequests: FreeRequests;
}
