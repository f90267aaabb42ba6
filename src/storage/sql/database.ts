import { HeadgateError } from '../../core/errors.ts';
import type { SqlStatement } from './statement.ts';

/** Where statements run: an engine's database, or one transaction of it. */
export interface SqlConnection {
  /**
   * The rows of a statement, by column name. Every integer comes as bigint, so that money never passes
   * through floating point; the caller names the shape its statement has.
   */
  rows<Row>(statement: SqlStatement): Promise<readonly Row[]>;
  /** Runs a statement and returns how many rows it inserted, updated or deleted. */
  change(statement: SqlStatement): Promise<number>;
}

/**
 * A SQL engine as the stores see it. Every call throws HeadgateError `service_unavailable` when the
 * database cannot do its work now, and the engine's own error when the statement is at fault.
 */
export interface SqlDatabase extends SqlConnection {
  /** Runs `work` in a transaction: committed when it resolves, rolled back when it rejects. */
  transaction<Result>(work: (connection: SqlConnection) => Promise<Result>): Promise<Result>;
  /** Runs reads that all see the database as it is at one moment. */
  snapshot<Result>(work: (connection: SqlConnection) => Promise<Result>): Promise<Result>;
}

/** A database whose transactions are all part of one that is open already, which commits or rolls back everything. */
export function joinedDatabase(transaction: SqlConnection): SqlDatabase {
  const join: SqlDatabase['transaction'] = (work) => work(transaction);
  return {
    rows: (statement) => transaction.rows(statement),
    change: (statement) => transaction.change(statement),
    transaction: join,
    snapshot: join,
  };
}

/**
 * A database for reads that must include every promised charge: what still waits is booked before each call.
 * Rejects as the database does if that fails.
 */
export class CaughtUpDatabase implements SqlDatabase {
  readonly #db: SqlDatabase;
  readonly #catchUp: () => Promise<void>;

  constructor(db: SqlDatabase, catchUp: () => Promise<void>) {
    this.#db = db;
    this.#catchUp = catchUp;
  }

  async rows<Row>(statement: SqlStatement): Promise<readonly Row[]> {
    await this.#catchUp();
    return this.#db.rows<Row>(statement);
  }

  async change(statement: SqlStatement): Promise<number> {
    await this.#catchUp();
    return this.#db.change(statement);
  }

  async transaction<Result>(work: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
    await this.#catchUp();
    return this.#db.transaction(work);
  }

  async snapshot<Result>(work: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
    await this.#catchUp();
    return this.#db.snapshot(work);
  }
}

/** Why an engine could not do its work. */
export interface DatabaseFailure {
  readonly message: string;
  /** Whether the statement was at fault (a constraint, an unknown table), not the database's state. */
  readonly byStatement: boolean;
  /** Whether a value was at fault, so that other values may be accepted. */
  readonly byValue?: boolean;
  /** What stops a file of this machine from being used; undefined: something else, or it is not known. */
  readonly trouble?: FileTrouble | undefined;
}

/** Another process has locked the file, or its disk is full. */
export type FileTrouble = 'locked' | 'full';

/** A failure of an engine or of the connection to it. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  /** Whether the statement was at fault, so that trying again does not help. */
  readonly byStatement: boolean;
  /** Whether a value was at fault, so that other values may be accepted. */
  readonly byValue: boolean;
  /** What stops a file of this machine from being used, if that is the reason. */
  readonly trouble: FileTrouble | undefined;

  constructor({ message, byStatement, byValue = false, trouble }: DatabaseFailure) {
    super(message);
    this.byStatement = byStatement;
    this.byValue = byValue;
    this.trouble = trouble;
  }
}

/** The error for a caller when the database cannot do its work now but may do it later. */
export function unavailable(cause: unknown): HeadgateError {
  if (cause instanceof HeadgateError) return cause;
  return new HeadgateError('service_unavailable', 'The storage cannot be reached.', { cause });
}

/** Throws the caller's error in place of a failure. @throws HeadgateError `service_unavailable`. */
export function throwUnavailable(cause: unknown): never {
  throw unavailable(cause);
}

/** A failed statement: `service_unavailable` when a later try may succeed, else the error as it is. */
export function statementError(error: unknown): unknown {
  return error instanceof DatabaseError && !error.byStatement ? unavailable(error) : error;
}

/** The error of a health check while the database answers but charges cannot be booked. */
export function unbookable(cause: unknown): HeadgateError {
  return new HeadgateError('service_unavailable', 'Charges cannot be booked now.', { cause });
}
