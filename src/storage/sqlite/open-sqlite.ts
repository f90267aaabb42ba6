import { mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { HeadgateError } from '../../core/errors.ts';
import type { Generation } from '../../ports/generations.ts';
import type { Storage } from '../../ports/storage.ts';
import { SqlAccountStore } from '../sql/account-store.ts';
import { SqlActivityStore } from '../sql/activity-store.ts';
import { generationRow } from '../sql/generation-row.ts';
import { SqlGenerationStore } from '../sql/generation-store.ts';
import { SqlKeyStore } from '../sql/key-store.ts';
import { SqlLedger } from '../sql/ledger.ts';
import { migrate, migrationStatus } from '../sql/migrations.ts';
import type { SchemaDialect } from '../sql/schema-dialect.ts';
import { sql } from '../sql/statement.ts';
import { unavailable } from './database-error.ts';
import { SettleQueue } from './settle-queue.ts';
import { type StartThread, ThreadClient } from './thread-client.ts';
import { ThreadDatabase } from './thread-database.ts';

/** What opening a SQLite database may be told; defaults suit a server. */
export interface SqliteOptions {
  /** How long to wait for another process's transaction before failing, in milliseconds. */
  readonly busyTimeout?: number;
  /** How long the memory of a second thread is kept after a report, in milliseconds. */
  readonly idleTimeout?: number;
  /** How database threads are started; for tests that end one. */
  readonly startThread?: StartThread;
}

const inMemory = ':memory:';

const schemaDialect: SchemaDialect = {
  integer: 'integer',
  // Keeps SQLite from storing a sum that left 64 bits as a float.
  tableEnd: 'strict',
  findMigrations: sql`select name from sqlite_schema where name = 'migrations'`,
};

/**
 * Opens a SQLite file, created with mode 0600 along with its directory when it is not there, or ":memory:".
 * @throws Error for the operator, saying which file cannot be opened and why.
 */
export async function openSqlite(file: string, options: SqliteOptions = {}): Promise<Storage> {
  const { busyTimeout = 5000, idleTimeout = 10_000, startThread } = options;
  const path = file === inMemory ? file : resolve(file);
  // An answer may take as long as one wait for a lock; beyond that the disk itself hangs.
  const replyTimeout = busyTimeout + 5000;
  const writer = new ThreadClient(
    { file: path, readOnly: false, busyTimeout },
    { startThread, replyTimeout },
  );
  // Runs while there are reports. A database in memory is visible to its own connection only.
  const reader =
    path === inMemory
      ? writer
      : new ThreadClient({ file: path, readOnly: true, busyTimeout }, { startThread, idleTimeout });
  try {
    if (path !== inMemory) await createFile(path);
    await writer.send({ kind: 'ping' });
  } catch (error) {
    await writer.close().catch(() => undefined);
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The database "${path}" cannot be opened (${reason}). It must be a SQLite file, or a new one, in a directory this user may write to.`,
      { cause: error },
    );
  }
  return assemble(writer, reader);
}

function assemble(writer: ThreadClient, reader: ThreadClient): Storage {
  const db = new ThreadDatabase(writer);
  const reports = new ThreadDatabase(reader);
  const queue = new SettleQueue((rows) => writer.send({ kind: 'settle', rows }));
  let closing: Promise<void> | undefined;
  const settle = async (generation: Generation) => {
    if (closing !== undefined) throw new HeadgateError('service_unavailable', 'The storage is closed.');
    await queue.add(generationRow(generation)).catch((error: unknown) => {
      throw unavailable(error);
    });
  };
  const close = async () => {
    await queue.idle();
    // A thread that only read has nothing to lose, and must not keep the other from closing.
    await reader.close().catch(() => undefined);
    await writer.close();
  };
  return {
    accounts: new SqlAccountStore(db),
    keys: new SqlKeyStore(db),
    generations: new SqlGenerationStore(db, reports),
    activity: new SqlActivityStore(reports),
    ledger: new SqlLedger(db, reports, settle),
    writable: true,
    migrate: () => migrate(db, schemaDialect),
    migrationStatus: () => migrationStatus(db, schemaDialect),
    ping: async () => {
      await writer.send({ kind: 'ping' }).catch((error: unknown) => {
        throw unavailable(error);
      });
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

async function createFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // SQLite gives the files it puts beside this one the same mode.
  const file = await open(path, 'a', 0o600);
  await file.close();
}
