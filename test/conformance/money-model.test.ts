import { MemoryFreeRequests } from '../../src/shared-state/memory/memory-free-requests.ts';
import { MemoryInFlightBudget } from '../../src/shared-state/memory/memory-in-flight-budget.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { describeMoneyModel } from './money-model.ts';

describeMoneyModel('SQLite and memory', async (clock, t) => {
  const storage = await openStorage('sqlite::memory:', { clock });
  t.after(() => storage.close());
  await storage.migrate();
  const countBooked = (accountId: string, since: number) => storage.generations.countFree(accountId, since);
  return {
    storage,
    startProcess: () => ({
      inFlightBudget: new MemoryInFlightBudget(clock),
      freeRequests: new MemoryFreeRequests(clock, countBooked),
    }),
  };
});
