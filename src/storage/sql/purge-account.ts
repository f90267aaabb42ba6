import { nanoFromInteger } from '../../core/money.ts';
import type { PurgedSums } from '../../ports/accounts.ts';
import { dayName } from '../../util/utc-windows.ts';
import type { SqlConnection } from './database.ts';
import { rawSql, type SqlStatement, sql } from './statement.ts';
import { spans } from './usage-sums.ts';

/** An account, and how the engine keeps sums of calls. */
export interface PurgedPlace {
  readonly id: string;
  /** See `SchemaDialect.keepsDailyUsage`. */
  readonly keepsDailyUsage: boolean;
}

/** Tables whose rows say which account they belong to, those first that others name. */
const ofAccount = [
  ...[
    'generations',
    'call_notes',
    'ledger_entries',
    'account_totals',
    'byok_months',
    'usage_sums',
    'cached_hits',
    'content',
    'feedback',
    'content_keys',
  ],
  ...[
    'provider_credentials',
    'destinations',
    'guardrail_assignments',
    'guardrails',
    'allowed_phrases',
    'false_positives',
  ],
  ...[
    'workspace_members',
    'members',
    'presets',
    'files',
    'audit_entries',
    'audit_chains',
    'derived_keys',
    'api_keys',
    'workspaces',
  ],
];
/** Tables whose rows say which key they belong to. */
const ofKey = [
  'key_totals',
  'key_spend',
  'key_spend_quarters',
  'key_secrets',
  'dashboard_links',
  'dashboard_sessions',
];

/**
 * Deletes at most so many records of each kind of an account, without its sums.
 * @returns Whether there may be more.
 */
export async function thinAccount(
  transaction: SqlConnection,
  { id, keepsDailyUsage }: PurgedPlace,
  limit: number,
): Promise<boolean> {
  // Where sums are made later than calls are booked, a call must be in them before it goes.
  const inSums = keepsDailyUsage
    ? sql``
    : sql`and rowid <= (select last_row from usage_folded) and rowid not in (select row_id from usage_late)`;
  const deleted = [
    await transaction.change(sql`
      delete from generations where id in (
        select id from generations where account_id = ${id} ${inSums} order by settled_at limit ${limit})`),
    await transaction.change(sql`
      delete from call_notes where id in (select id from call_notes where account_id = ${id} limit ${limit})`),
    await transaction.change(sql`
      delete from audit_entries where account_id = ${id} and seq in (
        select seq from audit_entries where account_id = ${id} order by seq limit ${limit})`),
  ];
  if (!keepsDailyUsage) await keepSumsRight(transaction);
  return deleted.some((count) => count === limit);
}

/** Deletes everything that names an account. @returns What is known of it still; undefined where nothing named it. */
export async function purgeAccount(
  transaction: SqlConnection,
  place: PurgedPlace,
): Promise<PurgedSums | undefined> {
  const { id, keepsDailyUsage } = place;
  const sums = await sumsOf(transaction, id);
  const position = rawSql(keepsDailyUsage ? 'strpos' : 'instr');
  // Of a call that ended after its account was deleted, only its record and the sums say whose the key was.
  const keys = sql`(
    select hash from api_keys where account_id = ${id}
    union select key_hash from generations where account_id = ${id}
    union select key_hash from usage_sums where account_id = ${id})`;
  const names = (column: string) => sql`${position}(${rawSql(column)}, ${id}) > 0`;
  const namesKey = (column: string) =>
    sql`exists (select 1 from api_keys where account_id = ${id} and ${position}(${rawSql(column)}, hash) > 0)`;
  const statements: readonly SqlStatement[] = [
    sql`delete from alerts where ${names('subject')} or ${namesKey('subject')}`,
    sql`delete from dashboard_sessions where ${namesKey('principals')}`,
    ...ofKey.map((table) => sql`delete from ${rawSql(table)} where key_hash in ${keys}`),
    sql`delete from jobs where ${names(`coalesce(result, '')`)}`,
    sql`delete from held_charges where ${names('line')}`,
    sql`delete from preset_versions where preset_id in (select id from presets where account_id = ${id})`,
    sql`delete from workspace_budgets where workspace_id in (select id from workspaces where account_id = ${id})`,
    sql`delete from file_pieces where scope in (select scope from files where account_id = ${id})`,
    ...[...ofAccount, ...(keepsDailyUsage ? ['daily_usage'] : [])].map(
      (table) => sql`delete from ${rawSql(table)} where account_id = ${id}`,
    ),
    sql`delete from accounts where id = ${id}`,
  ];
  let deleted = 0;
  for (const statement of statements) deleted += await transaction.change(statement);
  if (!keepsDailyUsage) await keepSumsRight(transaction);
  return deleted === 0 ? undefined : sums;
}

/**
 * Rows of calls that come take numbers anew that were at the end, so the sums end before them; and every process forgets
 * what it was about to add to the sums, which may be of a call that is gone.
 */
async function keepSumsRight(transaction: SqlConnection): Promise<void> {
  await transaction.change(sql`
    update usage_folded set last_row = min(last_row, (select coalesce(max(rowid), 0) from generations))`);
  await transaction.change(sql`insert or ignore into usage_late (row_id) values (0)`);
}

async function sumsOf(transaction: SqlConnection, id: string): Promise<PurgedSums> {
  const [totals] = await transaction.rows<{ readonly charges_total: bigint }>(
    sql`select charges_total from account_totals where account_id = ${id}`,
  );
  const entries = await transaction.rows<{ readonly type: string; readonly total: bigint }>(sql`
    select type, cast(sum(amount) as ${rawSql('bigint')}) as total from ledger_entries
    where account_id = ${id} group by type order by type`);
  const days = await transaction.rows<{
    readonly start: bigint;
    readonly calls: bigint;
    readonly charged: bigint;
  }>(sql`
    select start, cast(sum(requests) as ${rawSql('bigint')}) as calls, cast(sum(cost) as ${rawSql('bigint')}) as charged
    from usage_sums where account_id = ${id} and span = ${spans[1]} group by start order by start`);
  const months = new Map<string, { calls: number; charged: bigint }>();
  for (const { start, calls, charged } of days) {
    const month = dayName(Number(start)).slice(0, 7);
    const known = months.get(month) ?? { calls: 0, charged: 0n };
    months.set(month, { calls: known.calls + Number(calls), charged: known.charged + charged });
  }
  return {
    charged: nanoFromInteger(totals?.charges_total ?? 0n),
    entries: entries.map(({ type, total }) => ({ type, amount: nanoFromInteger(total) })),
    months: Array.from(months, ([month, { calls, charged }]) => ({
      month,
      calls,
      charged: nanoFromInteger(charged),
    })),
  };
}
