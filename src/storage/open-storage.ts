import type { Storage } from '../ports/storage.ts';
import { openSqlite, type SqliteOptions } from './sqlite/open-sqlite.ts';

/**
 * Opens the database a URL names (operations.md 3): `sqlite:FILE`, where the file and its directory are
 * created when they are missing, or `sqlite::memory:`. The schema is not touched: call `migrate`.
 * @throws Error for the operator: the URL names no engine of this build, or the database cannot be opened.
 */
export async function openStorage(url: string, options: SqliteOptions = {}): Promise<Storage> {
  const file = /^sqlite:(.+)$/.exec(url)?.[1];
  if (file !== undefined) return openSqlite(file, options);
  if (/^postgres(ql)?:/.test(url)) {
    throw new Error(
      'This version has no PostgreSQL engine yet: set HEADGATE_DATABASE_URL or database.url to "sqlite:FILE".',
    );
  }
  // The URL itself may hold a password, so only its scheme is shown.
  throw new Error(
    `A database URL begins with "sqlite:", as in "sqlite:.headgate/headgate.db", not "${schemeOf(url)}".`,
  );
}

function schemeOf(url: string): string {
  return url.includes(':') ? url.slice(0, url.indexOf(':') + 1) : url;
}
