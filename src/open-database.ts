import type { Config } from './config/config.ts';
import type { Storage } from './ports/storage.ts';
import { openStorage } from './storage/open-storage.ts';

/** Opens the database of a configuration; its schema is not touched. Throws like `openStorage`. */
export function openDatabase({ database, dataDirectory }: Config): Promise<Storage> {
  const { url, poolSize, retentionDays: days } = database;
  return openStorage(url, { poolSize, dataDirectory, ...(days !== undefined && { retention: { days } }) });
}
