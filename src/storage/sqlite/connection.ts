import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { chargePlace, linesOf, readChargeLine, readWaitingLine } from '../sql/charge-columns.ts';
import type { SqlValue } from '../sql/statement.ts';
import { BatchWriter } from './batch-writer.ts';
import type { ConnectionSettings } from './protocol.ts';
import { describeFailure } from './sqlite-failure.ts';

const statementLimit = 200;

/** Charges that are booked in one transaction. */
const mostInGo = 128;
/** Milliseconds that booking takes from requests which wait. */
const slice = 1;
/**
 * Charges that wait before each further one makes room for itself: so many are booked in a quarter of a second, which is how
 * long a read waits for them at most.
 */
const mostWaiting = 4_096;
/** Rows that may wait where they cannot be booked. */
const mostRows = 10_000;

interface PendingRow {
  readonly position: bigint;
  readonly lines: string;
}

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
  /** Whether charges may wait: those of a process that died, at first. */
  #mayWait = true;
  /** Rows that were added since none waited. */
  #waitingRows = 0;
  #waitingCharges = 0;
  #dataVersion: unknown;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  rows(sql: string, values: readonly SqlValue[]): readonly unknown[] {
    this.#bookForReaders();
    return this.#prepare(sql).all(...values);
  }

  change(sql: string, values: readonly SqlValue[]): number {
    this.book();
    return Number(this.#prepare(sql).run(...values).changes);
  }

  /**
   * Makes charge lines durable: all of them or none. They are booked a moment later, and before anything is read. Where many
   * wait, as many of those are booked before: work that comes faster than it is booked waits for it, some at a time.
   * @throws as SQLite does; also where so many wait already that they have to be booked first, and cannot.
   * @param texts Some lines in each, as many as are booked in one go.
   */
  append(texts: readonly string[]): void {
    let count = 0;
    for (const lines of texts) count += countLines(lines);
    this.#makeRoom(count);
    const insert = this.#prepare('insert into pending_charges (lines) values (?)');
    if (texts.length === 1) insert.run(...texts);
    else
      this.#transact(() => {
        for (const lines of texts) insert.run(lines);
      });
    this.#mayWait = true;
    this.#waitingRows += texts.length;
    this.#waitingCharges += count;
  }

  /** Books as many of the charges that wait as come now, once many do. @throws where too many wait and cannot be booked. */
  #makeRoom(count: number): void {
    try {
      while (this.#waitingCharges > Math.max(0, mostWaiting - count) && this.bookSome());
    } catch (error) {
      if (this.#waitingRows >= mostRows) throw error;
    }
  }

  /** Whether as many charges wait as one transaction books: waiting for more would save nothing. */
  get isBookingWorthwhile(): boolean {
    return this.#waitingCharges >= mostInGo;
  }

  /** Books waiting lines durably, all of them or none, and returns what each was charged. What waits is booked before. */
  settle(lines: readonly string[]): readonly bigint[] {
    this.book();
    return this.#write((writer) => writer.writeWithFees(lines.map(readWaitingLine)));
  }

  /** Books every charge that waits, here or by another process. Does nothing inside of a transaction. */
  book(): void {
    if (this.#settings.readOnly || this.#database?.isTransaction === true) return;
    if (!this.#mayWait && !this.#isChangedByOthers()) return;
    while (this.bookSome());
  }

  /**
   * Books some of the charges that wait. Costs no wait for the disk: until the log is written out with the next commit that
   * waits for it, their rows in the table are what is durable.
   * @param isAsked Whether requests wait by now: then the rest comes after them.
   * @returns Whether others may still wait.
   */
  bookSome(isAsked: () => boolean = () => false): boolean {
    if (this.#database?.isTransaction === true) return false;
    if (!this.#hasPending()) {
      this.#nothingWaits();
      return false;
    }
    const database = this.#open();
    database.exec('pragma synchronous = normal');
    try {
      this.#mayWait = this.#bookRows(isAsked);
    } finally {
      database.exec('pragma synchronous = full');
    }
    if (!this.#mayWait) this.#nothingWaits();
    return this.#mayWait;
  }

  #nothingWaits(): void {
    this.#mayWait = false;
    this.#waitingRows = 0;
    this.#waitingCharges = 0;
  }

  #bookRows(isAsked: () => boolean): boolean {
    const take = this.#prepare('select position, lines from pending_charges order by position');
    const forget = this.#prepare('delete from pending_charges where position <= ?');
    const until = performance.now() + slice;
    const taken: PendingRow[] = [];
    let count = 0;
    let isRest = false;
    function* texts() {
      for (const row of take.iterate() as Iterable<PendingRow>) {
        isRest = count >= mostInGo || (count > 0 && performance.now() >= until && isAsked());
        if (isRest) return;
        taken.push(row);
        count += countLines(row.lines);
        yield row.lines;
      }
    }
    try {
      this.#write((writer) => {
        writer.write(texts());
        forget.run(taken.at(-1)?.position ?? 0n);
      });
      this.#waitingCharges -= count;
      return isRest;
    } catch (error) {
      if (describeFailure(error).byValue !== true) throw error;
      this.#keepRefused(taken);
      return true;
    }
  }

  /** Books rows line by line, and keeps the lines that the database refuses in a table of their own. */
  #keepRefused(rows: readonly PendingRow[]): void {
    const forget = this.#prepare('delete from pending_charges where position = ?');
    const hold = this.#prepare(
      'insert into held_charges (id, line) values (?, ?) on conflict (id) do nothing',
    );
    for (const { position, lines } of rows) {
      for (const line of linesOf(lines)) {
        try {
          this.#write((writer) => writer.write([line]));
        } catch (error) {
          if (describeFailure(error).byValue !== true) throw error;
          hold.run(String(readChargeLine(line)[chargePlace.id]), line);
        }
      }
      forget.run(position);
    }
  }

  /** A report that lacks the newest calls is better than none, and a full disk is reported elsewhere. */
  #bookForReaders(): void {
    try {
      this.book();
    } catch (error) {
      if (describeFailure(error).trouble !== 'full') throw error;
    }
  }

  /** Whether the table is there, which a migration makes, and holds anything. */
  #hasPending(): boolean {
    try {
      return this.#prepare('select 1 from pending_charges limit 1').get() !== undefined;
    } catch (error) {
      if (describeFailure(error).byStatement) return false;
      throw error;
    }
  }

  /** Whether another connection has committed since this was asked last. */
  #isChangedByOthers(): boolean {
    const { data_version: version } = this.#prepare('pragma data_version').get() ?? {};
    if (version === this.#dataVersion) return false;
    this.#dataVersion = version;
    return true;
  }

  /** Adds the calls that wait to the sums that reports read, if any do. */
  fold(): void {
    this.book();
    this.#writer ??= new BatchWriter(this.#open());
    if (this.#writer.isFoldDue) this.#write((writer) => writer.fold());
  }

  #write<Result>(work: (writer: BatchWriter) => Result): Result {
    return this.#transact(() => {
      this.#writer ??= new BatchWriter(this.#open());
      return work(this.#writer);
    });
  }

  #transact<Result>(work: () => Result): Result {
    this.#begin();
    try {
      const result = work();
      this.commit();
      return result;
    } catch (error) {
      this.#writer?.rolledBack();
      this.rollback();
      throw error;
    }
  }

  begin(): void {
    this.book();
    this.#begin();
  }

  #begin(): void {
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
    this.#prepare('select count(*) from sqlite_schema').get();
  }

  /** Books what waits, and closes the file. */
  close(): void {
    try {
      if (this.#database !== undefined) this.book();
    } catch {
      // It waits for the next start.
    }
    this.#leave();
  }

  #leave(): void {
    this.#database?.close();
    this.#database = undefined;
    this.#writer = undefined;
    this.#statements.clear();
    this.#mayWait = true;
    this.#waitingRows = 0;
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
      if (identity !== this.#fileIdentity) this.#leave();
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

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
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
