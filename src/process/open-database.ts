import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Storage } from '../ports/storage.ts';
import { openStorage, type StorageOptions } from '../storage/open-storage.ts';

/**
 * Opens the database of a configuration. Its schema is not touched. Throws like `openStorage`.
 * @param options `reserveRoom` for a server, `mustExist` for what must not make an empty database.
 */
export function openDatabase(
  { database, dataDirectory }: Config,
  options: Pick<StorageOptions, 'reserveRoom' | 'mustExist'> = {},
): Promise<Storage> {
  const { url, poolSize, retentionDays: days } = database;
  const retention = days === undefined ? {} : { retention: { days } };
  return openStorage(url, { poolSize, dataDirectory, ...options, ...retention });
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

/** Where contents of files are, unless the database holds them. */
export function filesDirectory({ tools, dataDirectory }: Pick<Config, 'tools' | 'dataDirectory'>): string {
  return tools.files.directory ?? join(dataDirectory, 'files');
}
