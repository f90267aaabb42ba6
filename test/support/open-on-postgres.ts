import { openStorage, type StorageOptions } from '../../src/storage/open-storage.ts';
import type { PostgresServer } from './start-postgres.ts';

/** Opens a storage on a new database of a server, migrated, with patience for a slow machine; closed after the test. */
export async function openOnPostgres(
  server: PostgresServer,
  t: { after: (cleanUp: () => Promise<void>) => void },
  options: StorageOptions = {},
) {
  const name = await server.createDatabase();
  const patience = { acquireTimeout: 30_000, statementTimeout: 30_000 };
  const storage = await openStorage(server.url(name), { ...patience, ...options });
  t.after(() => storage.close());
  await storage.migrate();
  return { name, storage };
}
