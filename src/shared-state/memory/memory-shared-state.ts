import { monotonicClock, systemClock } from '../../ports/clock.ts';
import type { SharedState } from '../../ports/shared-state.ts';
import { type CountBooked, MemoryFreeRequests } from './memory-free-requests.ts';
import { MemoryInFlightBudget } from './memory-in-flight-budget.ts';

/** Shared state of an installation of one process: kept in its memory, and gone with it. */
export function createMemorySharedState(countBooked: CountBooked): SharedState {
  return {
    inFlightBudget: new MemoryInFlightBudget(monotonicClock),
    freeRequests: new MemoryFreeRequests(systemClock, countBooked),
  };
}
