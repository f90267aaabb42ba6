import type { SqlConnection, SqlDatabase } from './database.ts';

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
