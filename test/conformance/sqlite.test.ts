import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../../src/storage/open-storage.ts';
import type { SqliteOptions } from '../../src/storage/sqlite/open-sqlite.ts';
import { describeAccounts } from './accounts.ts';
import { describeByokFees, describeByokFeesOfProcesses } from './byok-fees.ts';
import { describeCallers } from './callers.ts';
import { describeCredentials } from './credentials.ts';
import { describeCreditExpiry, type OpenStorageAt } from './credit-expiry.ts';
import { describeDurability, type MakeUrl } from './durability.ts';
import type { OpenStorage } from './fixtures.ts';
import { describeGenerations } from './generations.ts';
import { describeKeys } from './keys.ts';
import { describeLapsedCalls } from './lapsed-calls.ts';
import { describeLedger } from './ledger.ts';
import { describeLedgerModel } from './ledger-model.ts';
import { describeWorkspaces } from './workspaces.ts';

const makeUrl: MakeUrl = async (test) => {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-'));
  test.after(() => rm(directory, { recursive: true, force: true }));
  return `sqlite:${join(directory, 'headgate.db')}`;
};

const openFile: OpenStorage = (test) => openNew(test, {});
const openWithoutJournal: OpenStorage = (test) => openNew(test, { journal: false });

const openNew = async (test: Parameters<OpenStorage>[0], options: SqliteOptions) => {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-'));
  const storage = await openStorage(`sqlite:${join(directory, 'headgate.db')}`, options);
  test.after(async () => {
    await storage.close();
    await rm(directory, { recursive: true, force: true });
  });
  await storage.migrate();
  return storage;
};

const openMemory: OpenStorage = async (test) => {
  const storage = await openStorage('sqlite::memory:');
  test.after(() => storage.close());
  await storage.migrate();
  return storage;
};

const openAt =
  (options: SqliteOptions): OpenStorageAt =>
  (clock, test) =>
    openNew(test, { ...options, clock });

for (const [name, open] of [
  ['SQLite file', openFile],
  ['SQLite file without a journal', openWithoutJournal],
  ['SQLite in memory', openMemory],
] as const) {
  describeAccounts(name, open);
  describeWorkspaces(name, open);
  describeKeys(name, open);
  describeCallers(name, open);
  describeCredentials(name, open);
  describeGenerations(name, open);
  describeLedger(name, open);
  describeLapsedCalls(name, open);
  describeByokFees(name, open);
  describeLedgerModel(name, open);
}
describeCreditExpiry('SQLite file', openAt({}));
describeCreditExpiry('SQLite file without a journal', openAt({ journal: false }));
describeByokFeesOfProcesses('SQLite file', makeUrl);
describeDurability('SQLite file', makeUrl);
