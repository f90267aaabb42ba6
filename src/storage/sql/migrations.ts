import { HeadgateError } from '../../core/errors.ts';
import type { MigrationStatus } from '../../ports/storage.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
import { DatabaseError } from './database-error.ts';
import { initialSchema } from './migrations/0001-initial.ts';
import { ownCredentials } from './migrations/0002-own-credentials.ts';
import { cachesAndPrivacy } from './migrations/0003-caches-and-privacy.ts';
import { dailyUsage } from './migrations/0004-daily-usage.ts';
import { lapsedCalls } from './migrations/0005-lapsed-calls.ts';
import { dailyUsageByDay } from './migrations/0006-daily-usage-by-day.ts';
import { heldCharges } from './migrations/0007-held-charges.ts';
import { keySettings } from './migrations/0008-key-settings.ts';
import { turns } from './migrations/0009-turns.ts';
import { auditLog } from './migrations/0010-audit-log.ts';
import { presets } from './migrations/0014-presets.ts';
import { dashboardSessions } from './migrations/0016-dashboard-sessions.ts';
import { usageSums } from './migrations/0017-usage-sums.ts';
import { accountRates } from './migrations/0018-account-rates.ts';
import { alerts } from './migrations/0019-alerts.ts';
import { usageFolded } from './migrations/0020-usage-folded.ts';
import { pluginDefaults } from './migrations/0021-plugin-defaults.ts';
import { guardrails } from './migrations/0022-guardrails.ts';
import { files } from './migrations/0025-files.ts';
import { callsOfRouters } from './migrations/0028-calls-of-routers.ts';
import { jobs } from './migrations/0030-jobs.ts';
import { keySecrets } from './migrations/0031-key-secrets.ts';
import { callNotes } from './migrations/0033-call-notes.ts';
import { cachedHits } from './migrations/0034-cached-hits.ts';
import { falsePositives } from './migrations/0036-false-positives.ts';
import { processes } from './migrations/0037-processes.ts';
import { deliveredAlerts } from './migrations/0038-delivered-alerts.ts';
import { limitCalendar } from './migrations/0039-limit-calendar.ts';
import type { SchemaDialect } from './schema-dialect.ts';
import { rawSql, sql } from './statement.ts';

/** Every migration ever published, in order. A published one is never edited: a change is a new one. */
export const migrations: ReadonlyMap<string, (dialect: SchemaDialect) => readonly string[]> = new Map([
  ['0001-initial', initialSchema],
  ['0002-own-credentials', ownCredentials],
  ['0003-caches-and-privacy', cachesAndPrivacy],
  ['0004-daily-usage', dailyUsage],
  ['0005-lapsed-calls', lapsedCalls],
  ['0006-daily-usage-by-day', dailyUsageByDay],
  ['0007-held-charges', heldCharges],
  ['0008-key-settings', keySettings],
  ['0009-turns', turns],
  ['0010-audit-log', auditLog],
  ['0014-presets', presets],
  ['0016-dashboard-sessions', dashboardSessions],
  ['0017-usage-sums', usageSums],
  ['0018-account-rates', accountRates],
  ['0019-alerts', alerts],
  ['0020-usage-folded', usageFolded],
  ['0021-plugin-defaults', pluginDefaults],
  ['0022-guardrails', guardrails],
  ['0025-files', files],
  ['0028-calls-of-routers', callsOfRouters],
  ['0030-jobs', jobs],
  ['0031-key-secrets', keySecrets],
  ['0033-call-notes', callNotes],
  ['0034-cached-hits', cachedHits],
  ['0036-false-positives', falsePositives],
  ['0037-processes', processes],
  ['0038-delivered-alerts', deliveredAlerts],
  ['0039-limit-calendar', limitCalendar],
]);

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
