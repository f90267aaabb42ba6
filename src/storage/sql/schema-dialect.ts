import type { SqlStatement } from './statement.ts';

/** How an engine spells what the migrations need. */
export interface SchemaDialect {
  /** A signed 64-bit integer. */
  readonly integer: 'integer' | 'bigint';
  /** What follows the closing parenthesis of a new table. */
  readonly tableEnd: 'strict' | '';
  /** Returns a row when the database has a table `migrations`. */
  readonly findMigrations: SqlStatement;
}
