import type { Limits } from '../../src/core/limits.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { EndpointRateServices } from '../../src/settlement/endpoint-rates.ts';
import { LeaseKeeper } from '../../src/settlement/lease-keeper.ts';
import { LimitWaits, usualLimitWaits } from '../../src/settlement/limit-waits.ts';
import { MeasuredCalls } from '../../src/settlement/measured-calls.ts';
import { RateLeases } from '../../src/settlement/rate-leases.ts';
import type { RateServices } from '../../src/settlement/request-rates.ts';
import type { SpendingServices } from '../../src/settlement/spending.ts';
import { MemoryFreeRequests } from '../../src/shared-state/memory/memory-free-requests.ts';
import { MemoryInFlightBudget } from '../../src/shared-state/memory/memory-in-flight-budget.ts';
import { MemoryRateLimits } from '../../src/shared-state/memory/memory-rate-limits.ts';
import { defaultLimits } from './limits.ts';

/** What requests of a single process need to be admitted: real counters, by default on the machine's clock. */
export function spendingServices(
  change: Partial<SpendingServices> & { readonly clock?: Clock; readonly limits?: () => Limits } = {},
): SpendingServices & RateServices & EndpointRateServices {
  const { clock = systemClock, limits = () => defaultLimits } = change;
  const inFlightBudget = change.inFlightBudget ?? new MemoryInFlightBudget(clock);
  const rateLimits = new MemoryRateLimits(clock);
  return {
    clock,
    limits,
    inFlightBudget,
    leases: new LeaseKeeper(
      inFlightBudget,
      () => limits().inFlightBudget,
      () => {},
    ),
    limitWaits: new LimitWaits({ ...usualLimitWaits, patience: 0 }),
    endpointWaits: new LimitWaits(),
    measuredCalls: new MeasuredCalls(),
    freeRequests: new MemoryFreeRequests(clock, async () => 0),
    rateLimits,
    rateLeases: new RateLeases(
      rateLimits,
      () => limits().inFlightBudget,
      () => {},
    ),
    canCharge: () => true,
    ...change,
  };
}
