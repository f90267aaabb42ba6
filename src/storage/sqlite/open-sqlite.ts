import { mkdir, open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Clock, systemClock } from '../../ports/clock.ts';
import type { Storage } from '../../ports/storage.ts';
import { messageOf } from '../../util/message-of.ts';
import { heldFile } from '../journal/held-charges.ts';
import type { JournalOptions } from '../journal/journal.ts';
import { QueuedCharges } from '../queued-charges.ts';
import { CaughtUpDatabase } from '../sql/caught-up-database.ts';
import { throwUnavailable, unbookable } from '../sql/database-error.ts';
import { migrate, migrationStatus } from '../sql/migrations.ts';
import type { SchemaDialect } from '../sql/schema-dialect.ts';
import { createSqlStores } from '../sql/sql-stores.ts';
import { sql } from '../sql/statement.ts';
import { aloneOnFile } from './alone-on-file.ts';
import { type Booking, directBooking, journalDirectory, journaledBooking } from './booking.ts';
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
  /** How the journal of charges ahead of the database is kept; false: without one. */
  readonly journal?: JournalOptions | false;
  /** Decides when credit is past its time. */
  readonly clock?: Clock;
}

const inMemory = ':memory:';

/** How the migrations are spelt. */
export const schemaDialect: SchemaDialect = {
  integer: 'integer',
  text: 'text',
  // Keeps SQLite from storing a sum that left 64 bits as a float.
  tableEnd: 'strict',
  keepsDailyUsage: false,
  findMigrations: sql`select name from sqlite_schema where name = 'migrations'`,
};

/**
 * Opens a SQLite file, created with mode 0600 along with its directory when it is not there, or ":memory:".
 * @throws Error for the operator, saying which file cannot be opened and why.
 */
export async function openSqlite(file: string, options: SqliteOptions = {}): Promise<Storage> {
  const {
    busyTimeout = 5000,
    idleTimeout = 10_000,
    startThread,
    journal = {},
    clock = systemClock,
  } = options;
  const path = file === inMemory ? file : resolve(file);
  const directory = path === inMemory || journal === false ? undefined : journalDirectory(path);
  // An answer may take as long as one wait for a lock; beyond that the disk itself hangs.
  const replyTimeout = busyTimeout + 5000;
  const writer = new ThreadClient(
    { file: path, readOnly: false, busyTimeout, heldFile: directory && join(directory, heldFile) },
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
    const reason = messageOf(error);
    throw new Error(
      `The database "${path}" cannot be opened (${reason}). It must be a SQLite file, or a new one, in a directory this user may write to.`,
      { cause: error },
    );
  }
  const booking =
    directory === undefined || journal === false
      ? directBooking(writer)
      : journaledBooking(directory, writer, journal);
  return assemble({ path, writer, reader, booking, clock });
}

interface Parts {
  readonly path: string;
  readonly writer: ThreadClient;
  readonly reader: ThreadClient;
  readonly booking: Booking;
  readonly clock: Clock;
}

function assemble({ path, writer, reader, booking, clock }: Parts): Storage {
  const db = new ThreadDatabase(writer);
  const catchUp = () => booking.catchUp().catch(throwUnavailable);
  const books = new CaughtUpDatabase(db, catchUp);
  const reports = new CaughtUpDatabase(new ThreadDatabase(reader), catchUp);
  const queued = new QueuedCharges({
    commit: (lines) => booking.commit(lines).catch(throwUnavailable),
    // Not by the journal: what a month has come to is known in the database alone.
    commitByok: async (charges) => {
      const amounts = await writer.send({ kind: 'settle-byok', charges }).catch(throwUnavailable);
      return Array.isArray(amounts) ? amounts : undefined;
    },
    held: booking.held,
  });
  let closing: Promise<void> | undefined;
  const close = async () => {
    await queued.close();
    await booking.close();
    // A thread that only read has nothing to lose, and must not keep the other from closing.
    await reader.close().catch(() => undefined);
    await writer.close();
  };
  return {
    ...createSqlStores({ db, books, reports, keepsDailyUsage: false }, queued, clock),
    get writable() {
      return booking.writable;
    },
    get failure() {
      return booking.failure;
    },
    get waitingCharges() {
      return booking.waiting;
    },
    migrate: async () => {
      const applied = await migrate(db, schemaDialect);
      await catchUp();
      return applied;
    },
    migrationStatus: () => migrationStatus(db, schemaDialect),
    alone: (work) => (path === inMemory ? work() : aloneOnFile(path, work)),
    ping: async () => {
      await writer.send({ kind: 'ping' }).catch(throwUnavailable);
      if (!booking.writable) throw unbookable(booking.failure);
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

async function createFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite gives the files it puts beside this one the same mode.
  const file = await open(path, 'a', 0o600);
  await file.close();
}
