import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { holdCharges } from '../journal/held-charges.ts';
import { type JournalSource, readSource } from '../journal/read-source.ts';
import type { ByokCharge } from '../sql/byok-charge.ts';
import type { SqlValue } from '../sql/statement.ts';
import { BatchWriter } from './batch-writer.ts';
import type { ConnectionSettings } from './protocol.ts';
import { isByValue } from './sqlite-failure.ts';

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
    this.#inTransaction((writer) => writer.write([charges]));
  }

  /**
   * Books charges durably with their fees and returns what each was charged. One that the database refuses is kept
   * aside, without a fee, where there is a place for it; else none is booked.
   */
  settleByok(charges: readonly ByokCharge[]): readonly (bigint | undefined)[] {
    const { heldFile } = this.#settings;
    try {
      return this.#inTransaction((writer) => writer.writeByok(charges));
    } catch (error) {
      if (!isByValue(error) || heldFile === undefined) throw error;
      return this.#inTransaction((writer) => {
        const amounts = charges.map((charge) => this.#unlessRefused(() => writer.writeByok([charge])[0]));
        const refused = charges.filter((_, index) => amounts[index] === undefined);
        if (refused.length > 0)
          holdCharges(
            heldFile,
            refused.map(({ line }) => line),
          );
        return amounts;
      });
    }
  }

  /**
   * Books durably what a file of the journal holds, and returns where its last whole frame ends. Charges in it
   * were promised already, so one that the database refuses is kept aside and does not hold up the others.
   */
  apply(source: JournalSource): number {
    const { texts, end } = readSource(source);
    if (texts.length === 0) return end;
    try {
      this.#inTransaction((writer) => writer.write(texts));
    } catch (error) {
      if (!isByValue(error)) throw error;
      const lines = texts.flatMap((text) => text.split(/(?<=\n)/));
      this.#inTransaction((writer) => this.#bookOneByOne(writer, lines, source));
    }
    return end;
  }

  #bookOneByOne(writer: BatchWriter, lines: readonly string[], { file }: JournalSource): void {
    const refused = lines.filter((line) => !this.#isTaken(writer, line));
    const { heldFile } = this.#settings;
    if (refused.length === 0 || heldFile === undefined || file === heldFile) return;
    holdCharges(heldFile, refused);
  }

  #isTaken(writer: BatchWriter, line: string): boolean {
    const taken = this.#unlessRefused(() => {
      writer.write([line]);
      return true;
    });
    return taken === true;
  }

  /** What came of it, or undefined when the database refused a value and nothing of it was done. */
  #unlessRefused<Result>(work: () => Result): Result | undefined {
    const database = this.#open();
    database.exec('savepoint charge');
    try {
      const result = work();
      database.exec('release charge');
      return result;
    } catch (error) {
      if (!isByValue(error)) throw error;
      database.exec('rollback to charge; release charge');
      return undefined;
    }
  }

  #inTransaction<Result>(work: (writer: BatchWriter) => Result): Result {
    this.begin();
    try {
      this.#writer ??= new BatchWriter(this.#open());
      const result = work(this.#writer);
      this.commit();
      return result;
    } catch (error) {
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
    if (!settings.readOnly) {
      // Records take a few hundred bytes: pages of this size halve the cost of filling them. New files only.
      database.exec('pragma page_size = 8192');
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
