import type { SqlStatement } from './statement.ts';

/** How an engine spells what the migrations need. */
export interface SchemaDialect {
  /** A signed 64-bit integer. */
  readonly integer: 'integer' | 'bigint';
  /** Text that is compared byte by byte, whatever language the database speaks. */
  readonly text: 'text' | 'text collate "C"';
  /** What follows the closing parenthesis of a new table. */
  readonly tableEnd: 'strict' | '';
  /** Whether the engine keeps sums of calls by day (`daily_usage`). */
  readonly keepsDailyUsage: boolean;
  /** Returns a row when the database has a table `migrations`. */
  readonly findMigrations: SqlStatement;
  /**
   * What is made anew after every migration: code the engine keeps in the database, which depends on its tables. A
   * change of it comes with a migration.
   */
  readonly functions?: readonly string[];
  /** Makes processes that migrate together wait for each other, where writing alone does not. */
  readonly lockMigrations?: SqlStatement;
}
