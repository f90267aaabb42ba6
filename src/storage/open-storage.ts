import type { Storage } from '../ports/storage.ts';
import type { PostgresOptions } from './postgres/open-postgres.ts';
import { openSqlite, type SqliteOptions } from './sqlite/open-sqlite.ts';

/** Options for a database; those of another engine are ignored. */
export type StorageOptions = SqliteOptions & PostgresOptions;

/**
 * Opens the database a URL names (docs/spec/operations.md#storage): `sqlite:FILE`, where the file and its directory are
 * created when they are missing, `sqlite::memory:`, or `postgres://USER:PASSWORD@HOST/DATABASE`. The schema is not
 * touched: call `migrate`.
 * @throws Error for the operator: the URL names no engine of this build, or the database cannot be opened.
 */
export async function openStorage(url: string, options: StorageOptions = {}): Promise<Storage> {
  const file = /^sqlite:(.+)$/.exec(url)?.[1];
  if (file !== undefined) return openSqlite(file, options);
  if (/^postgres(ql)?:/.test(url)) {
    // Who runs on SQLite pays nothing for the other engine.
    const { openPostgres } = await import('./postgres/open-postgres.ts');
    return openPostgres(url, options);
  }
  // The URL itself may hold a password, so only its scheme is shown.
  throw new Error(
    `A database URL begins with "sqlite:", as in "sqlite:.headgate/headgate.db", or with "postgres://", not with "${schemeOf(url)}".`,
  );
}

function schemeOf(url: string): string {
  return url.includes(':') ? url.slice(0, url.indexOf(':') + 1) : url;
}
