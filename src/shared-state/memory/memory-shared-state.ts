import { monotonicClock, systemClock } from '../../ports/clock.ts';
import type { CountBooked } from '../../ports/free-requests.ts';
import type { SharedState } from '../../ports/shared-state.ts';
import { MemoryCachedAnswers } from './memory-cached-answers.ts';
import { MemoryFreeRequests } from './memory-free-requests.ts';
import { MemoryInFlightBudget } from './memory-in-flight-budget.ts';
import { MemoryRateLimits } from './memory-rate-limits.ts';
import { MemoryStickyEndpoints } from './memory-sticky-endpoints.ts';
import { MemoryStoredAnswers } from './memory-stored-answers.ts';
import { MemoryEndpointStatistics } from './statistics/memory-endpoint-statistics.ts';

/** Ten minutes, and 128 MiB with everything that keeps them. */
export const storedAnswerLimits = { lifetime: 600_000, capacity: 128 * 1024 * 1024 };

/** About 30 MB. */
export const stickyCapacity = 100_000;

/** Creates the shared state of a single process, kept in its memory. */
export function createMemorySharedState(countBooked: CountBooked): SharedState {
  return {
    inFlightBudget: new MemoryInFlightBudget(monotonicClock),
    freeRequests: new MemoryFreeRequests(systemClock, countBooked),
    rateLimits: new MemoryRateLimits(systemClock),
    storedAnswers: new MemoryStoredAnswers(monotonicClock, storedAnswerLimits),
    cachedAnswers: new MemoryCachedAnswers(systemClock),
    stickyEndpoints: new MemoryStickyEndpoints(monotonicClock, stickyCapacity),
    statistics: new MemoryEndpointStatistics(monotonicClock),
    // A single process has nobody to notify.
    invalidation: { publish: () => {}, subscribe: () => {} },
    state: () => 'ok',
    close: async () => {},
  };
}
