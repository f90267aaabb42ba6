import type { FreeRequests } from '../ports/free-requests.ts';
import type { InFlightBudget } from '../ports/in-flight-budget.ts';
import type { RateLimits } from '../ports/rate-limits.ts';
import { LimitWaits, usualLimitWaits } from './limit-waits.ts';
import type { RateServices } from './request-rates.ts';
import type { SpendingServices } from './spending.ts';

const noWaits = new LimitWaits({ ...usualLimitWaits, patience: 0 });

/**
 * The same services for a request that is only looked at: what `Spending` decides with them is what it would decide,
 * but nothing is counted and nothing reserved, and it does not wait.
 */
export function readOnlyServices(services: SpendingServices): SpendingServices {
  const { clock, limits, canCharge, measuredCalls } = services;
  return {
    clock,
    limits,
    canCharge,
    measuredCalls,
    limitWaits: noWaits,
    inFlightBudget: lookAtBudget(services.inFlightBudget),
    leases: { keep: (id) => ({ member: id, place: -1 }), drop: () => {} },
    freeRequests: lookAtFreeRequests(services.freeRequests),
  };
}

/** The same for limits of the rate: they decide as usual and count nothing. */
export function readOnlyRates({ clock, limits, rateLimits }: RateServices): RateServices {
  const look: RateLimits['look'] = (home, claim) => rateLimits.look(home, claim);
  return {
    clock,
    limits,
    rateLimits: {
      claim: look,
      look,
      withdraw: async () => {},
      settle: async () => {},
      renew: async () => {},
    },
    rateLeases: { keep: (running) => ({ member: running, place: -1 }), drop: () => {} },
  };
}

function lookAtBudget(budget: InFlightBudget): InFlightBudget {
  return {
    hold: (id, amount, terms) => budget.hold(id, amount, { ...terms, isTrial: true }),
    raise: async () => {},
    settle: async () => {},
    charge: async () => {},
    renew: async () => {},
    sweep: async () => [],
    inFlight: (accountId) => budget.inFlight(accountId),
    look: (accountId, limit) => budget.look(accountId, limit),
  };
}

function lookAtFreeRequests(freeRequests: FreeRequests): FreeRequests {
  const look: FreeRequests['look'] = (accountId, limits) => freeRequests.look(accountId, limits);
  return { count: look, look, countedToday: (accountId) => freeRequests.countedToday(accountId) };
}
