import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { ByokCharge } from '../sql/charge-line.ts';
import type { SqlValue } from '../sql/statement.ts';
import { BatchWriter } from './batch-writer.ts';
import type { ConnectionSettings } from './protocol.ts';

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
