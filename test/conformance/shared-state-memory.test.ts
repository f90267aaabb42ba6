import { setImmediate } from 'node:timers/promises';
import { MemoryFreeRequests } from '../../src/shared-state/memory/memory-free-requests.ts';
import { MemoryInFlightBudget } from '../../src/shared-state/memory/memory-in-flight-budget.ts';
import { describeFreeRequests } from './free-requests.ts';
import { describeHoldNotes, describeInFlightBudget } from './in-flight-budget.ts';

describeInFlightBudget('memory', async (clock) => new MemoryInFlightBudget(clock));
describeHoldNotes('memory', async (clock) => new MemoryInFlightBudget(clock));
describeFreeRequests(
  'memory',
  async (clock, booked) =>
    new MemoryFreeRequests(clock, async (accountId, since) => {
      const times = booked(accountId);
      await setImmediate();
      return times.filter((time) => time >= since && time <= clock.now()).length;
    }),
);
