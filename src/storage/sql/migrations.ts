import { HeadgateError } from '../../core/errors.ts';
import type { MigrationStatus } from '../../ports/storage.ts';
import { DatabaseError, type SqlConnection, type SqlDatabase } from './database.ts';
import { startOfSchema } from './migrations/0001-start.ts';
import { pendingCharges } from './migrations/0002-pending-charges.ts';
import { destinations } from './migrations/0003-destinations.ts';
import { content } from './migrations/0004-content.ts';
import { feedback } from './migrations/0005-feedback.ts';
import { derivedKeys } from './migrations/0006-derived-keys.ts';
import type { SchemaDialect } from './schema-dialect.ts';
import { rawSql, sql } from './statement.ts';

/** Every migration ever published, in order. A published one is never edited: a change is a new one. */
export const migrations: ReadonlyMap<string, (dialect: SchemaDialect) => readonly string[]> = new Map([
  ['0001-start', startOfSchema],
  ['0002-pending-charges', pendingCharges],
  ['0003-destinations', destinations],
  ['0004-content', content],
  ['0005-feedback', feedback],
  ['0006-derived-keys', derivedKeys],
]);

/** The first migration of the chain before the first release, and the last commit that reads such a database. */
const unreleased = { first: '0001-initial', lastCommit: '9e4b425d' };

/**
 * Applies what is pending, all of it or nothing, and returns the names. Safe when processes start together.
 * @throws Error for the operator when the database was made by a newer version, belongs to another application, or
 *   cannot be changed.
 */
export async function migrate(db: SqlDatabase, dialect: SchemaDialect): Promise<readonly string[]> {
  try {
    return await applyPending(db, dialect);
  } catch (error) {
    throw withRemedy(error);
  }
}

async function applyPending(db: SqlDatabase, dialect: SchemaDialect): Promise<readonly string[]> {
  // Most starts find nothing to do and need not wait for a writer.
  if ((await migrationStatus(db, dialect)).pending.length === 0) return [];
  return db.transaction(async (transaction) => {
    if (dialect.lockMigrations !== undefined) await transaction.rows(dialect.lockMigrations);
    await transaction.change(
      rawSql(`create table if not exists migrations (
        name ${dialect.text} primary key not null, applied_at ${dialect.integer} not null) ${dialect.tableEnd}`),
    );
    const { pending } = await statusOf(transaction);
    for (const name of pending) {
      for (const statement of migrations.get(name)?.(dialect) ?? []) {
        await transaction.change(rawSql(statement));
      }
      await transaction.change(
        sql`insert into migrations (name, applied_at) values (${name}, ${Date.now()})`,
      );
    }
    for (const statement of dialect.functions ?? []) await transaction.change(rawSql(statement));
    return pending;
  });
}

/** Which migrations a database has had. Throws like `migrate`. */
export async function migrationStatus(db: SqlDatabase, dialect: SchemaDialect): Promise<MigrationStatus> {
  const tables = await db.rows(dialect.findMigrations);
  return tables.length === 0 ? { applied: [], pending: [...migrations.keys()] } : statusOf(db);
}

async function statusOf(connection: SqlConnection): Promise<MigrationStatus> {
  const applied = await appliedTo(connection);
  const [first] = migrations.keys();
  if (applied.includes(unreleased.first)) throw beforeRelease(applied);
  if (applied.length > 0 && !applied.includes(first ?? '')) throw foreign();
  const unknown = applied.filter((name) => !migrations.has(name));
  if (unknown.length > 0) {
    throw new Error(
      `The database was made by a newer version: this one does not know ${unknown.join(', ')}. Run that version, or restore a backup made before it.`,
    );
  }
  return { applied, pending: [...migrations.keys()].filter((name) => !applied.includes(name)) };
}

async function appliedTo(connection: SqlConnection): Promise<readonly string[]> {
  try {
    const rows = await connection.rows<{ name: string }>(
      sql`select name, applied_at from migrations order by name`,
    );
    return rows.map((row) => row.name);
  } catch (error) {
    throw error instanceof DatabaseError && error.byStatement ? foreign(error) : error;
  }
}

function beforeRelease(applied: readonly string[]): Error {
  return new Error(
    `The database was made before the first release (${applied[0]} to ${applied.at(-1)}), whose schema began anew. ` +
      `Commit ${unreleased.lastCommit} is the last that reads it: export there what is to be kept, and name an empty database in database.url.`,
  );
}

function foreign(cause?: unknown): Error {
  return new Error(
    'The database has a table "migrations" of another application. Headgate needs a database of its own.',
    { cause },
  );
}

function withRemedy(error: unknown): unknown {
  const cause = error instanceof HeadgateError ? error.cause : error;
  if (!(cause instanceof DatabaseError)) return error;
  const remedy = cause.byStatement
    ? 'Headgate needs a database of its own, and something else is in this one: name an empty one in database.url.'
    : 'Its user must own the database, and it must run and take writes.';
  return new Error(`The schema of the database cannot be brought up to date (${cause.message}). ${remedy}`, {
    cause,
  });
}
