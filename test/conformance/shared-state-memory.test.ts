import { setImmediate } from 'node:timers/promises';
import { MemoryFreeRequests } from '../../src/shared-state/memory/memory-free-requests.ts';
import { MemoryInFlightBudget } from '../../src/shared-state/memory/memory-in-flight-budget.ts';
import { MemoryRateLimits } from '../../src/shared-state/memory/memory-rate-limits.ts';
import { MemoryStickyEndpoints } from '../../src/shared-state/memory/memory-sticky-endpoints.ts';
import { MemoryStoredAnswers } from '../../src/shared-state/memory/memory-stored-answers.ts';
import { describeFreeRequests } from './free-requests.ts';
import { describeHoldNotes, describeInFlightBudget } from './in-flight-budget.ts';
import { describeRateLimits } from './rate-limits.ts';
import { describeStickyEndpoints } from './sticky-endpoints.ts';
import { describeStoredAnswers } from './stored-answers.ts';

describeInFlightBudget('memory', async (clock) => new MemoryInFlightBudget(clock));
describeHoldNotes('memory', async (clock) => new MemoryInFlightBudget(clock));
describeRateLimits('memory', async (clock) => new MemoryRateLimits(clock));
describeFreeRequests(
  'memory',
  async (clock, booked) =>
    new MemoryFreeRequests(clock, async (accountId, since) => {
      const times = booked(accountId);
      await setImmediate();
      return times.filter((time) => time >= since && time <= clock.now()).length;
    }),
);

function settableClock() {
  let time = 0;
  const pass = async (milliseconds: number) => {
    time += milliseconds;
  };
  return { clock: { now: () => time }, pass };
}

describeStoredAnswers('memory', async (limits) => {
  const { clock, pass } = settableClock();
  return { answers: new MemoryStoredAnswers(clock, limits), pass };
});
describeStickyEndpoints('memory', async () => {
  const { clock, pass } = settableClock();
  return { sticky: new MemoryStickyEndpoints(clock, 100), pass };
});
