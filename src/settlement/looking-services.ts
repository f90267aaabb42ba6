import { dayLength } from '../core/utc-windows.ts';
import type { FreeRequests } from '../ports/free-requests.ts';
import type { InFlightBudget } from '../ports/in-flight-budget.ts';
import type { SpendingServices } from './spending.ts';

/**
 * The same services for a request that is only looked at: what `Spending` decides with them is what it would decide,
 * but nothing is counted and nothing held. The free requests of the running minute are not looked at, and of the wait
 * for a full budget only the longest is told.
 */
export function lookingServices(services: SpendingServices): SpendingServices {
  const { clock, limits, canCharge } = services;
  return {
    clock,
    limits,
    canCharge,
    inFlightBudget: lookAtBudget(services.inFlightBudget),
    leases: { keep: () => {}, drop: () => {} },
    freeRequests: lookAtFreeRequests(services),
  };
}

function lookAtBudget(budget: InFlightBudget): InFlightBudget {
  return {
    hold: async ({ accountId }, amount, terms) => {
      const total = (await budget.inFlight(accountId)) + amount;
      if (total <= terms.budget) return { held: true };
      return { held: false, retryAfter: Math.max(1, Math.ceil(terms.settlementWindow / 1000)) };
    },
    raise: async () => {},
    settle: async () => {},
    renew: async () => {},
    sweep: async () => [],
    inFlight: (accountId) => budget.inFlight(accountId),
  };
}

function lookAtFreeRequests({ freeRequests, clock }: SpendingServices): FreeRequests {
  return {
    count: async (accountId, limits) => {
      const today = await freeRequests.countedToday(accountId);
      if (limits === undefined || today < limits.perDay) return { counted: true };
      return { counted: false, window: 'day', resetsAt: nextUtcDay(clock.now()) };
    },
    countedToday: (accountId) => freeRequests.countedToday(accountId),
  };
}

function nextUtcDay(now: number): number {
  return (Math.floor(now / dayLength) + 1) * dayLength;
}
