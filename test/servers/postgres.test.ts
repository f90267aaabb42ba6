import { after, before } from 'node:test';
import { MemoryFreeRequests } from '../../src/shared-state/memory/memory-free-requests.ts';
import { MemoryInFlightBudget } from '../../src/shared-state/memory/memory-in-flight-budget.ts';
import { openStorage, type StorageOptions } from '../../src/storage/open-storage.ts';
import type { MakeUrl } from '../conformance/durability.ts';
import type { OpenStorage } from '../conformance/fixtures.ts';
import { describeMoneyModel } from '../conformance/money-model.ts';
import { describeStorage } from '../conformance/storage.ts';
import { type PostgresServer, startPostgres } from '../support/start-postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: PostgresServer;
let migrated: string;
const dataDirectory = temporaryFolder();

before(async () => {
  server = await startPostgres();
  migrated = await server.createDatabase();
  const storage = await openStorage(server.url(migrated));
  await storage.migrate();
  await storage.close();
});
after(() => server.stop());

const makeUrl: MakeUrl = async (test) => {
  const name = await server.createDatabase(migrated);
  test.after(() => server.dropDatabase(name));
  return server.url(name);
};

/** A busy machine is no outage. */
const patient: StorageOptions = { acquireTimeout: 30_000, statementTimeout: 30_000 };

const openNew = async (test: Parameters<OpenStorage>[0], options: StorageOptions = {}) => {
  const name = await server.createDatabase(migrated);
  const storage = await openStorage(server.url(name), { ...patient, dataDirectory, ...options });
  test.after(async () => {
    await storage.close();
    await server.dropDatabase(name);
  });
  return storage;
};

describeStorage({ name: 'PostgreSQL', open: (test, clock) => openNew(test, { clock }), makeUrl });
describeMoneyModel(
  'PostgreSQL and memory',
  async (clock, test) => {
    const storage = await openNew(test, { clock });
    const countBooked = (accountId: string, since: number) => storage.generations.countFree(accountId, since);
    return {
      storage,
      startProcess: () => ({
        inFlightBudget: new MemoryInFlightBudget(clock),
        freeRequests: new MemoryFreeRequests(clock, countBooked),
      }),
    };
  },
  100,
);
