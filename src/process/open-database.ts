import type { Config } from '../config/config.ts';
import type { Storage } from '../ports/storage.ts';
import type { JournalOptions } from '../storage/journal/journal.ts';
import { openStorage } from '../storage/open-storage.ts';

/**
 * Opens the database of a configuration without changing its schema. Throws like `openStorage`.
 * @param journal How charges are stored beside it.
 */
export function openDatabase({ database, dataDirectory }: Config, journal: JournalOptions): Promise<Storage> {
  const { url, poolSize, retentionDays: days } = database;
  const retention = days === undefined ? {} : { retention: { days } };
  return openStorage(url, { poolSize, dataDirectory, journal, ...retention });
}

/**
 * Prepares a database for a server: migrates its schema, and books the charges that other processes on the same data
 * directory left behind when they died. Returns the applied migrations.
 * @throws Error for the operator when there are migrations and `database.auto_migrate` is false, or as `migrate`
 * does.
 */
export async function prepareDatabase(
  { database }: Pick<Config, 'database'>,
  storage: Pick<Storage, 'migrate' | 'migrationStatus'>,
): Promise<readonly string[]> {
  const { pending } = database.autoMigrate ? { pending: [] } : await storage.migrationStatus();
  if (pending.length > 0)
    throw new Error(
      `The database needs ${pending.join(', ')}. Run "headgate db migrate" or set database.auto_migrate.`,
    );
  return storage.migrate();
}
