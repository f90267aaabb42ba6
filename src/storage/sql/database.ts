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
