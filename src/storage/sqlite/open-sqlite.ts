import { access, mkdir, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '../../ports/clock.ts';
import type { DiskUse, Storage } from '../../ports/storage.ts';
import { messageOf } from '../../util/message-of.ts';
import { Booking } from '../charges/booking.ts';
import { waitingLine } from '../charges/charge.ts';
import { QueuedCharges } from '../charges/queue.ts';
import type { Amounts, ChargeWriter } from '../charges/writer.ts';
import { bytesOf, bytesOfFile, freeBytes } from '../disk-use.ts';
import { Outage } from '../outage.ts';
import { ReservedRoom } from '../reserved-room.ts';
import type { Charge } from '../sql/charge-columns.ts';
import {
  CaughtUpDatabase,
  DatabaseError,
  type SqlConnection,
  type SqlDatabase,
  statementError,
  throwUnavailable,
  unbookable,
} from '../sql/database.ts';
import { migrate, migrationStatus } from '../sql/migrations.ts';
import type { SchemaDialect } from '../sql/schema-dialect.ts';
import { createSqlStores } from '../sql/sql-stores.ts';
import { type SqlStatement, sql, statementRenderer } from '../sql/statement.ts';
import { sqliteDetails } from '../sql/usage-conditions.ts';
import { lockFile } from './lock-file.ts';
import type { ThreadAnswer, ThreadRequest } from './protocol.ts';
import { type StartThread, ThreadClient } from './thread-client.ts';

type Send = (request: ThreadRequest) => Promise<ThreadAnswer>;

const render = statementRenderer(() => '?');

/** SQLite as the stores see it: statements carried out by a database thread. */
class ThreadDatabase implements SqlDatabase {
  readonly #client: ThreadClient;
  readonly #connection: SqlConnection;

  constructor(client: ThreadClient) {
    this.#client = client;
    this.#connection = connectionOver((request) => client.send(request));
  }

  rows<Row>(statement: SqlStatement): Promise<readonly Row[]> {
    return this.#connection.rows(statement);
  }

  change(statement: SqlStatement): Promise<number> {
    return this.#connection.change(statement);
  }

  async transaction<Result>(work: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
    const transaction = await this.#client.begin().catch(rethrow);
    try {
      const result = await work(connectionOver(transaction.send));
      await transaction.send({ kind: 'commit' }).catch(rethrow);
      return result;
    } catch (error) {
      // A thread that is gone has rolled back already; the caller must learn the failure that led here.
      await transaction.send({ kind: 'rollback' }).catch(() => undefined);
      throw error;
    } finally {
      transaction.release();
    }
  }

  /** A transaction of SQLite sees one moment anyway. */
  snapshot<Result>(work: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
    return this.transaction(work);
  }
}

function connectionOver(send: Send): SqlConnection {
  const carryOut = (kind: 'rows' | 'change', statement: SqlStatement) =>
    send({ kind, sql: render(statement), values: statement.values }).catch(rethrow);
  return {
    // The thread answers each kind of request with its own shape, and the caller knows its columns.
    rows: async <Row>(statement: SqlStatement) => (await carryOut('rows', statement)) as readonly Row[],
    change: async (statement) => (await carryOut('change', statement)) as number,
  };
}

function rethrow(error: unknown): never {
  throw statementError(error);
}

/** Milliseconds between two looks at the file. */
const period = 150;

/** Reads a number that other connections change by committing, and this one does not. */
type ReadDataVersion = () => Promise<bigint>;

/** Notices when another process has committed to a SQLite file. */
class ChangeWatch {
  readonly #read: ReadDataVersion;
  readonly #onChange: () => void;
  readonly #timer: NodeJS.Timeout;
  #version: bigint | undefined;
  #isReading = false;

  /** @param onChange Called after each commit of another process, once for those of one period. */
  constructor(read: ReadDataVersion, onChange: () => void) {
    this.#read = read;
    this.#onChange = onChange;
    this.#timer = setInterval(() => void this.#look(), period).unref();
    void this.#look();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Never fails: a database that does not answer is looked at again. */
  async #look(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      const version = await this.#read();
      const isChanged = this.#version !== undefined && this.#version !== version;
      this.#version = version;
      if (isChanged) this.#onChange();
    } catch {
      // Others report that the database is away.
    } finally {
      this.#isReading = false;
    }
  }
}

/** Lines of a row of waiting charges: some of them are booked in a millisecond. */
const linesInRow = 16;

/** Writes charges by the thread of a SQLite file, in room that was reserved if the disk is full. */
class SqliteChargeWriter implements ChargeWriter {
  readonly #thread: ThreadClient;
  readonly #room: ReservedRoom | undefined;

  /** @param room Undefined for a database in memory. */
  constructor(thread: ThreadClient, room: ReservedRoom | undefined) {
    this.#thread = thread;
    this.#room = room;
  }

  /** See `ChargeWriter.write`. Without fees, charges are durable as waiting lines, and booked behind. */
  async write(charges: readonly Charge[], atOnce = false): Promise<Amounts> {
    if (atOnce || charges.some(({ terms }) => terms !== undefined)) {
      const lines = charges.map(waitingLine);
      const amounts = await this.#inRoom(() => this.#thread.send({ kind: 'settle', lines }));
      // The thread answers each kind of request with its own shape.
      return Array.isArray(amounts) ? (amounts as readonly bigint[]) : undefined;
    }
    const lines: string[] = [];
    for (let from = 0; from < charges.length; from += linesInRow) {
      let text = '';
      for (const { line } of charges.slice(from, from + linesInRow)) text += line;
      lines.push(text);
    }
    await this.#inRoom(() => this.#thread.send({ kind: 'append', lines }));
    return undefined;
  }

  #inRoom<Result>(write: () => Promise<Result>): Promise<Result> {
    return this.#room === undefined ? write() : this.#room.use(write);
  }
}

/** Milliseconds between two tries. */
const patience = 20;

/**
 * Runs work while no other process runs any on the same database file. An empty file stays beside it, because one that is
 * deleted could be locked by two processes.
 */
async function aloneOnFile<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const release = lockFile(`${file}.lock`);
    if (release === undefined) {
      await sleep(patience);
      continue;
    }
    try {
      return await work();
    } finally {
      release();
    }
  }
}

/** Options for a SQLite database; the defaults suit a server. */
export interface SqliteOptions {
  /** How long to wait for another process's transaction before failing, in milliseconds. */
  readonly busyTimeout?: number;
  /** How long the memory of a second thread is kept after a report, in milliseconds. */
  readonly idleTimeout?: number;
  /** How database threads are started; for tests that end one. */
  readonly startThread?: StartThread;
  /** Milliseconds between two checks whether charges can be booked again. */
  readonly retryDelay?: number;
  /** Whether room on the disk is reserved, so that requests under way can be booked when it is full. */
  readonly reserveRoom?: boolean;
  /** Whether a file that is not there is refused instead of made. */
  readonly mustExist?: boolean;
  /** Decides when credit expires. */
  readonly clock?: Clock;
}

const inMemory = ':memory:';

/** How the migrations are written for SQLite. */
export const schemaDialect: SchemaDialect = {
  integer: 'integer',
  text: 'text',
  // Keeps SQLite from storing a sum that left 64 bits as a float.
  tableEnd: 'strict',
  keepsDailyUsage: false,
  findMigrations: sql`select name from sqlite_schema where name = 'migrations'`,
};

/**
 * Opens a SQLite file, created with mode 0600 along with its directory when it is not there (unless `mustExist`), or ":memory:".
 * @throws Error for the operator, saying which file cannot be opened and why.
 */
export async function openSqlite(file: string, options: SqliteOptions = {}): Promise<Storage> {
  const {
    busyTimeout = 5000,
    idleTimeout = 10_000,
    retryDelay = 1000,
    reserveRoom = false,
    mustExist = false,
    startThread,
    clock = systemClock,
  } = options;
  const path = file === inMemory ? file : resolve(file);
  if (mustExist) await requireFile(path);
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
    const reason = messageOf(error);
    throw new Error(
      `The database "${path}" cannot be opened (${reason}). It must be a SQLite file, or a new one, in a directory this user may write to.`,
      { cause: error },
    );
  }
  const room = path === inMemory ? undefined : new ReservedRoom({ path: `${path}-room`, retryDelay });
  if (reserveRoom) await room?.reserve();
  return assemble({ path, writer, reader, room, retryDelay, clock });
}

const databaseSize = sql`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`;

interface Parts {
  readonly path: string;
  readonly writer: ThreadClient;
  readonly reader: ThreadClient;
  readonly room: ReservedRoom | undefined;
  readonly retryDelay: number;
  readonly clock: Clock;
}

function assemble({ path, writer, reader, room, retryDelay, clock }: Parts): Storage {
  const db = new ThreadDatabase(writer);
  // Writes though it changes nothing: a file that can only be read must not count as back.
  const probe = () => writer.send({ kind: 'change', sql: 'pragma user_version = 0', values: [] });
  const outage = new Outage(probe, retryDelay);
  const booking = new Booking({ writer: new SqliteChargeWriter(writer, room), db, outage });
  const queued = new QueuedCharges(booking);
  const isWritable = () => booking.writable && room?.failure === undefined;
  const failure = () => booking.failure ?? room?.failure;
  let closing: Promise<void> | undefined;
  const watches: ChangeWatch[] = [];
  const dataVersion = async () => {
    const [row] = await db.rows<{ readonly data_version: bigint }>(sql`pragma data_version`);
    return row?.data_version ?? 0n;
  };
  const close = async () => {
    for (const watch of watches) watch.close();
    await queued.close();
    booking.close();
    room?.close();
    // A thread that only read has nothing to lose, and must not keep the other from closing.
    await reader.close().catch(() => undefined);
    await writer.close();
  };
  const fold = async () => {
    await writer.send({ kind: 'fold' }).catch((error: unknown) => {
      // A report that lacks the newest calls is better than none, and a full disk is reported elsewhere.
      if (!(error instanceof DatabaseError && error.trouble === 'full')) throwUnavailable(error);
    });
  };
  const reports = new CaughtUpDatabase(new ThreadDatabase(reader), fold);
  return {
    ...createSqlStores(
      {
        db,
        books: db,
        reports,
        keepsDailyUsage: false,
        details: sqliteDetails,
        holdsFiles: path === inMemory,
      },
      queued,
      clock,
    ),
    get writable() {
      return isWritable();
    },
    get failure() {
      return failure();
    },
    waitingCharges: 0,
    migrate: async () => {
      const applied = await migrate(db, schemaDialect);
      await booking.retryHeld().catch(throwUnavailable);
      return applied;
    },
    migrationStatus: () => migrationStatus(db, schemaDialect),
    watchChanges: (listener) => {
      // Nobody else can open a database in memory.
      if (path === inMemory) return;
      watches.push(new ChangeWatch(dataVersion, () => listener({ kind: 'everything' })));
    },
    announce: async () => {},
    alone: (work) => (path === inMemory ? work() : aloneOnFile(path, work)),
    ping: async () => {
      await writer.send({ kind: 'ping' }).catch(throwUnavailable);
      if (!isWritable()) throw unbookable(failure());
    },
    diskUse: () => diskUse(path, new ThreadDatabase(reader)),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

async function diskUse(path: string, db: ThreadDatabase): Promise<DiskUse> {
  const use = await bytesOf(db, databaseSize);
  if (path === inMemory) return use;
  const log = await bytesOfFile(`${path}-wal`);
  return { ...use, database: use.database + log, free: await freeBytes(path) };
}

async function requireFile(path: string): Promise<void> {
  if (path === inMemory) {
    throw new Error(
      'The database is in the memory of the server (database.url), where nothing else reaches it.',
    );
  }
  const isMissing = await access(path).then(
    () => false,
    (reason: unknown) => reason instanceof Error && 'code' in reason && reason.code === 'ENOENT',
  );
  if (isMissing) {
    throw new Error(
      `There is no database at "${path}". Run this where the server of your installation is started, or name its ` +
        'configuration with --config; "headgate serve" and "headgate db migrate" make a new one.',
    );
  }
}

async function createFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite gives the files it puts beside this one the same mode.
  const file = await open(path, 'a', 0o600);
  await file.close();
}
