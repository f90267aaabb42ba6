import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { ByokCharge } from '../sql/byok-charge.ts';
import type { DatabaseFailure, FileTrouble } from '../sql/database-error.ts';
import type { SqlValue } from '../sql/statement.ts';
import { BatchWriter } from './batch-writer.ts';
import type {
  ConnectionSettings,
  ReplyMessage,
  RequestMessage,
  ThreadAnswer,
  ThreadRequest,
} from './protocol.ts';

const statementLimit = 200;

/**
 * One SQLite connection inside its thread. It is opened by the first request, and anew when another file
 * has taken the place of the one it had open.
 */
export class Connection {
  readonly #settings: ConnectionSettings;
  #database: DatabaseSync | undefined;
  /** Which file is open, however it may be called by now. */
  #fileIdentity = '';
  #statements = new Map<string, StatementSync>();
  #writer: BatchWriter | undefined;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  rows(sql: string, values: readonly SqlValue[]): readonly unknown[] {
    return this.#prepare(sql).all(...values);
  }

  change(sql: string, values: readonly SqlValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  /** Books charge lines durably: all of them or none. */
  settle(charges: string): void {
    this.#inTransaction((writer) => writer.write(charges));
  }

  /** Books charges durably with their fees, all of them or none, and returns what each was charged. */
  settleByok(charges: readonly ByokCharge[]): readonly bigint[] {
    return this.#inTransaction((writer) => writer.writeByok(charges));
  }

  /** Adds the calls that wait to the sums that reports read, if any do. */
  fold(): void {
    this.#writer ??= new BatchWriter(this.#open());
    if (this.#writer.isFoldDue) this.#inTransaction((writer) => writer.fold());
  }

  #inTransaction<Result>(work: (writer: BatchWriter) => Result): Result {
    this.begin();
    try {
      this.#writer ??= new BatchWriter(this.#open());
      const result = work(this.#writer);
      this.commit();
      return result;
    } catch (error) {
      this.#writer?.rolledBack();
      this.rollback();
      throw error;
    }
  }

  begin(): void {
    // A writer that begins as a reader cannot wait for another writer: it fails at its first change.
    this.#open().exec(this.#settings.readOnly ? 'begin' : 'begin immediate');
  }

  commit(): void {
    this.#open().exec('commit');
  }

  /** Does nothing when no transaction is open: SQLite rolls some back by itself. */
  rollback(): void {
    if (this.#database?.isTransaction === true) this.#database.exec('rollback');
  }

  /** Reads from the file itself. */
  ping(): void {
    this.rows('select count(*) from sqlite_schema', []);
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
    this.#writer = undefined;
    this.#statements.clear();
  }

  #open(): DatabaseSync {
    if (this.#database?.isTransaction !== true) this.#leaveLostFile();
    if (this.#database === undefined) {
      this.#fileIdentity = identify(this.#settings.file);
      this.#database = openDatabase(this.#settings);
    }
    return this.#database;
  }

  /** Without this, a deleted or replaced file would swallow every commit until the next start. */
  #leaveLostFile(): void {
    if (this.#database === undefined) return;
    let identity: string | undefined;
    try {
      identity = identify(this.#settings.file);
    } finally {
      if (identity !== this.#fileIdentity) this.close();
    }
  }

  #prepare(sql: string): StatementSync {
    const database = this.#open();
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= statementLimit) this.#statements.clear();
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** @throws when there is no such file, which SQLite would create empty. */
function identify(file: string): string {
  if (file === ':memory:') return file;
  const { dev, ino } = statSync(file);
  return `${dev}:${ino}`;
}

function openDatabase(settings: ConnectionSettings): DatabaseSync {
  const database = new DatabaseSync(settings.file, {
    readOnly: settings.readOnly,
    timeout: settings.busyTimeout,
    enableForeignKeyConstraints: true,
  });
  try {
    if (settings.exclusive === true) database.exec('pragma locking_mode = exclusive');
    if (!settings.readOnly) {
      // FULL makes every commit wait for the disk: what is committed survives a power failure.
      database.exec('pragma journal_mode = wal; pragma synchronous = full');
      database.exec('pragma journal_size_limit = 67108864');
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Primary result codes a statement itself causes: error, too big, constraint, mismatch, misuse, range. */
const statementCodes: ReadonlySet<number | undefined> = new Set([1, 18, 19, 20, 21, 25]);

/** Those of them that a value causes: too big, constraint, mismatch. */
const valueCodes: ReadonlySet<number | undefined> = new Set([18, 19, 20]);

/** Result codes of files that cannot be used now: busy, locked, full. */
const troubles: ReadonlyMap<number | undefined, FileTrouble> = new Map([
  [5, 'locked'],
  [6, 'locked'],
  [13, 'full'],
]);

/** A thrown value in the form another thread receives. */
function describeFailure(error: unknown): DatabaseFailure {
  if (!(error instanceof Error)) return { message: String(error), byStatement: false };
  const code = primaryCode(error);
  // A value that cannot be bound is refused before SQLite sees it.
  const isUnbindable = error instanceof TypeError || error instanceof RangeError;
  return {
    message: error.message,
    byStatement: isUnbindable || statementCodes.has(code),
    byValue: isUnbindable || valueCodes.has(code),
    trouble: troubles.get(code),
  };
}

/** The low byte of SQLite's extended result code. */
function primaryCode(error: Error): number | undefined {
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/*
 * Entry of the thread that owns a SQLite connection, so that neither an fsync nor a long report holds up
 * the event loop of the server. Every module imported here is loaded a second time in the thread and
 * costs memory and start-up time: keep to node:sqlite and small files of our own.
 */

const port = parentPort;
if (port === null) throw new Error('The database thread must be started as a worker.');

const connection = new Connection(workerData as ConnectionSettings);

port.on('message', (requests: readonly RequestMessage[]) => {
  let replies: ReplyMessage[] = [];
  for (const { number, request } of requests) {
    replies.push(replyTo(number, request));
    // Answers to reads are sent together. The answer to a change is sent before the next request can fail.
    if (request.kind === 'rows') continue;
    port.postMessage(replies);
    replies = [];
    if (request.kind === 'close') port.close();
  }
  if (replies.length > 0) port.postMessage(replies);
});

function replyTo(number: number, request: ThreadRequest): ReplyMessage {
  try {
    return { number, answer: carryOut(request) };
  } catch (error) {
    return { number, failure: describeFailure(error) };
  }
}

function carryOut(request: ThreadRequest): ThreadAnswer {
  switch (request.kind) {
    case 'rows':
    case 'change':
      return connection[request.kind](request.sql, request.values);
    case 'settle':
      connection.settle(request.charges);
      return undefined;
    case 'settle-byok':
      return connection.settleByok(request.charges);
    default:
      connection[request.kind]();
      return undefined;
  }
}
