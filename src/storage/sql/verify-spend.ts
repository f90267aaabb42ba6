import { nanoFromInteger } from '../../core/money.ts';
import type { LedgerDifference } from '../../ports/ledger.ts';
import { dayLength, dayName, monthName, utcMonth } from '../../util/utc-windows.ts';
import type { TotalsRow } from './account-ledger.ts';
import { isLapsed } from './charge-columns.ts';
import { Comparison } from './comparison.ts';
import type { SqlConnection } from './database.ts';
import { rawSql, sql } from './statement.ts';
import { type Days, quarterLength, quartersInDay, within } from './values.ts';
import { verifyUsageSums } from './verify-usage-sums.ts';

/** Sums of calls of one kind on one day, as kept and as the calls have them; of neither may be nothing. */
interface Row {
  readonly account_id: string;
  readonly day: bigint;
  readonly key_hash: string;
  readonly model: string;
  readonly endpoint_tag: string;
  readonly kept_cost: bigint | null;
  readonly cost: bigint | null;
  readonly kept_byok: bigint | null;
  readonly byok: bigint | null;
}

const kinds = 'account_id, day, key_hash, workspace_id, model, requested_model, provider, endpoint_tag';
const counts = ['requests', 'input_tokens', 'cached_tokens', 'output_tokens', 'reasoning_tokens'];
const sums = [...counts, 'cost', 'byok_cost'];
const differs = sums.map((name) => `kept.${name} is distinct from calls.${name}`).join(' or ');

/**
 * Recomputes from calls what reports say of them, where they read sums by day, and names each difference: in the
 * reported cost and usage of accounts, keys, workspaces, models and endpoints. The database compares, because there may
 * be as many sums as calls.
 * @param days Those whose calls are all there, and how many at once.
 */
async function verifyDailyUsage(snapshot: SqlConnection, days: Days): Promise<readonly LedgerDifference[]> {
  if (days.first !== undefined && days.end !== undefined && days.first >= days.end) return [];
  const rows = await snapshot.rows<Row>(sql`
    with calls as (
      select account_id, ${rawSql(`settled_at / ${dayLength}`)} as day, key_hash,
        coalesce(workspace_id, '') as workspace_id, coalesce(model, '') as model,
        case when model is null then requested_model else '' end as requested_model,
        coalesce(provider, '') as provider, coalesce(endpoint_tag, '') as endpoint_tag,
        count(*) as requests, ${rawSql(counts.slice(1).map(sumOf).join(', '))}, ${rawSql(sumOf('cost'))},
        cast(sum(case when is_byok = 1 then list_cost else 0 end) as bigint) as byok_cost
      from generations
      where settled_at >= ${(days.first ?? 0) * dayLength}
        ${days.end === undefined ? sql`` : sql`and settled_at < ${days.end * dayLength}`}
        and not ${rawSql(isLapsed())}
      group by 1, 2, 3, 4, 5, 6, 7, 8
    ), kept as (select * from daily_usage where ${within(days)})
    select account_id, day, key_hash, coalesce(nullif(model, ''), requested_model) as model, endpoint_tag,
      kept.cost as kept_cost, calls.cost, kept.byok_cost as kept_byok, calls.byok_cost as byok
    from kept full join calls using (${rawSql(kinds)})
    where ${rawSql(differs)}
    order by ${rawSql(kinds)}`);
  return rows.flatMap(toDifferences);
}

function sumOf(column: string): string {
  return `cast(coalesce(sum(${column}), 0) as bigint) as ${column}`;
}

function toDifferences(row: Row): readonly LedgerDifference[] {
  const { account_id: account, key_hash: key, model, endpoint_tag: tag } = row;
  const what = `reported for ${dayName(Number(row.day))} of key ${key}, ${model} at ${tag || 'nobody'}`;
  const differences = [
    difference(`account ${account}: usage ${what}`, row.kept_cost, row.cost),
    difference(`account ${account}: own-credential usage ${what}`, row.kept_byok, row.byok),
  ].filter(({ kept, recomputed }) => kept !== recomputed);
  if (differences.length > 0) return differences;
  return [difference(`account ${account}: requests or tokens ${what}`, row.kept_cost, row.cost)];
}

function difference(subject: string, kept: bigint | null, recomputed: bigint | null): LedgerDifference {
  return { subject, kept: nanoFromInteger(kept ?? 0n), recomputed: nanoFromInteger(recomputed ?? 0n) };
}

interface QuarterRow {
  readonly key_hash: string;
  readonly quarter: bigint;
  readonly charge: bigint;
  readonly byok: bigint;
}

/** Days that are compared: fewer than sums by quarter of an hour are kept. */
const days = 38;
/** Quarters after the keeping began that may lack what was booked just then. */
const uncertain = 2;

/**
 * Recomputes from calls what keys spent by quarter of an hour, where that is kept for limits of another zone, and names
 * each difference.
 * @param firstKept The first UTC day whose calls are all still there.
 * @param now Unix milliseconds.
 */
async function verifyQuarters(
  snapshot: SqlConnection,
  firstKept: number,
  now: number,
): Promise<readonly LedgerDifference[]> {
  const [rule] = await snapshot.rows<{ readonly since: bigint | null }>(
    sql`select min(since) as since from limit_calendar where time_zone <> 'UTC'`,
  );
  if (rule === undefined || rule.since === null) return [];
  const today = Math.floor(now / dayLength);
  const began = Math.ceil(Number(rule.since) / quarterLength) + uncertain;
  const first = Math.max(began, firstKept * quartersInDay, (today - days) * quartersInDay);
  const differences: LedgerDifference[] = [];
  // Day by day, so that neither side grows with the number of keys times days.
  for (let start = first; start < (today + 1) * quartersInDay; start += quartersInDay) {
    differences.push(...(await verifySome(snapshot, start, start + quartersInDay)));
  }
  return differences;
}

async function verifySome(
  snapshot: SqlConnection,
  start: number,
  end: number,
): Promise<readonly LedgerDifference[]> {
  const kept = await snapshot.rows<QuarterRow>(
    sql`select * from key_spend_quarters where quarter >= ${start} and quarter < ${end}`,
  );
  const recomputed = await snapshot.rows<QuarterRow>(sql`
    select key_hash, ${rawSql(`settled_at / ${quarterLength}`)} as quarter, cast(sum(cost) as bigint) as charge,
      cast(sum(case when is_byok = 1 then list_cost else 0 end) as bigint) as byok
    from generations where settled_at >= ${start * quarterLength} and settled_at < ${end * quarterLength}
    group by 1, 2`);
  return (['charge', 'byok'] as const).flatMap((amount) => {
    const name = amount === 'charge' ? 'usage' : 'own-credential usage';
    const comparison = new Comparison(
      (key, quarter) => `key ${key}: ${name} in the quarter from ${timeOf(quarter)}`,
    );
    for (const row of kept) comparison.keep(row[amount], row.key_hash, row.quarter);
    for (const row of recomputed) comparison.recompute(row[amount], row.key_hash, row.quarter);
    return comparison.differences();
  });
}

function timeOf(quarter: bigint): string {
  return new Date(Number(quarter) * quarterLength).toISOString().slice(0, 16);
}

interface KeyDayRow {
  readonly key_hash: string;
  readonly day: bigint;
  readonly charge: bigint;
  readonly byok: bigint;
}

interface SpendRow extends KeyDayRow {
  readonly account_id: string;
}

/**
 * Days that are compared at once where sums by day find them: few enough for the memory of both sides, so that neither
 * grows with the years. Elsewhere each look at some days would read all calls.
 */
const daysAtOnce = 14;

const always = sql`1 = 1`;
/** Where sums are written later than calls are booked. */
const folded = sql`rowid <= (select last_row from usage_folded) and rowid not in (select row_id from usage_late)`;

/** Recomputes from calls what accounts and keys were charged, and what is reported of them; names each difference. */
export async function verifySpend(
  snapshot: SqlConnection,
  totals: readonly TotalsRow[],
  { keepsDailyUsage, now }: { readonly keepsDailyUsage: boolean; readonly now: number },
): Promise<readonly LedgerDifference[]> {
  const firstKept = keepsDailyUsage ? await firstKeptDay(snapshot) : 0;
  const check = new SpendCheck();
  const reported: LedgerDifference[] = [];
  await check.keepTotals(snapshot, totals);
  for (const days of keepsDailyUsage ? await partsOfTime(snapshot) : [{ first: undefined, end: undefined }]) {
    const calls = await readCalls(snapshot, days, firstKept);
    const standIn = keepsDailyUsage ? await readDailyUsage(snapshot, days, firstKept) : [];
    const keyDays = await snapshot.rows<KeyDayRow>(sql`select * from key_spend where ${within(days)}`);
    check.compare([...calls, ...standIn], keyDays);
    const first = Math.max(days.first ?? firstKept, firstKept);
    reported.push(
      ...(await verifyUsageSums(snapshot, { ...days, first }, keepsDailyUsage ? always : folded)),
    );
    if (!keepsDailyUsage) continue;
    reported.push(...(await verifyDailyUsage(snapshot, { ...days, first })));
  }
  return [...check.differences(), ...reported, ...(await verifyQuarters(snapshot, firstKept, now))];
}

/** Both sides of what adds up over time, and the differences of the days compared so far. */
class SpendCheck {
  readonly #charges = new Comparison((account) => `account ${account}: charges`);
  readonly #keys = {
    charge: new Comparison((key) => `key ${key}: usage in all time`),
    byok: new Comparison((key) => `key ${key}: own-credential usage in all time`),
  };
  readonly #months = new Comparison(
    (account, month) => `account ${account}: own-credential usage in ${monthName(Number(month))}`,
  );
  readonly #byDay: { readonly [Amount in Amounts]: LedgerDifference[] } = { charge: [], byok: [] };

  async keepTotals(snapshot: SqlConnection, totals: readonly TotalsRow[]): Promise<void> {
    for (const row of totals) this.#charges.keep(row.charges_total, row.account_id);
    const keys = await snapshot.rows<Omit<KeyDayRow, 'day'>>(sql`select * from key_totals`);
    for (const amount of amounts) for (const row of keys) this.#keys[amount].keep(row[amount], row.key_hash);
    const months = await snapshot.rows<{
      readonly account_id: string;
      readonly month: bigint;
      readonly list_cost: bigint;
    }>(sql`select * from byok_months`);
    for (const row of months) this.#months.keep(row.list_cost, row.account_id, row.month);
  }

  /** Compares whole days and adds them to what adds up. */
  compare(spend: readonly SpendRow[], keyDays: readonly KeyDayRow[]): void {
    for (const row of spend) {
      this.#charges.recompute(row.charge, row.account_id);
      this.#months.recompute(row.byok, row.account_id, BigInt(utcMonth(Number(row.day))));
    }
    for (const amount of amounts) {
      const name = amount === 'charge' ? 'usage' : 'own-credential usage';
      const keys = new Comparison((key, day) => `key ${key}: ${name} on ${dayName(Number(day))}`);
      for (const row of keyDays) keys.keep(row[amount], row.key_hash, row.day);
      for (const row of spend) {
        keys.recompute(row[amount], row.key_hash, row.day);
        this.#keys[amount].recompute(row[amount], row.key_hash);
      }
      this.#byDay[amount].push(...keys.differences());
    }
  }

  differences(): readonly LedgerDifference[] {
    return [
      ...this.#charges.differences(),
      ...amounts.flatMap((amount) => [...this.#byDay[amount], ...this.#keys[amount].differences()]),
      ...this.#months.differences(),
    ];
  }
}

const amounts = ['charge', 'byok'] as const;
type Amounts = (typeof amounts)[number];

/** The first day whose calls are all still there one by one. */
async function firstKeptDay(snapshot: SqlConnection): Promise<number> {
  const [row] = await snapshot.rows<{ readonly first_day: bigint }>(
    sql`select first_day from kept_calls where slot = 1`,
  );
  return Number(row?.first_day ?? 0n);
}

/** All of time in parts; the first and the last one are without end, for calls may lie where no counter does. */
async function partsOfTime(snapshot: SqlConnection): Promise<readonly Days[]> {
  const [row] = await snapshot.rows<{ readonly first: bigint | null; readonly last: bigint | null }>(
    sql`select min(day) as first, max(day) as last from key_spend`,
  );
  const parts: Days[] = [];
  let first: number | undefined;
  for (let end = Number(row?.first ?? 0n) + daysAtOnce; end <= Number(row?.last ?? 0n); end += daysAtOnce) {
    parts.push({ first, end });
    first = end;
  }
  return [...parts, { first, end: undefined }];
}

function readCalls(snapshot: SqlConnection, days: Days, firstKept: number): Promise<readonly SpendRow[]> {
  const from = Math.max(days.first ?? 0, firstKept);
  const end = days.end === undefined ? sql`` : sql`and settled_at < ${days.end * dayLength}`;
  return snapshot.rows<SpendRow>(sql`
    select account_id, key_hash, ${rawSql(`settled_at / ${dayLength}`)} as day,
      cast(sum(cost) as bigint) as charge,
      cast(sum(case when is_byok = 1 then list_cost else 0 end) as bigint) as byok
    from generations where settled_at >= ${from * dayLength} ${end} group by 1, 2, 3`);
}

/** The sums that stand for calls which are not there any more. */
function readDailyUsage(
  snapshot: SqlConnection,
  days: Days,
  firstKept: number,
): Promise<readonly SpendRow[]> {
  return snapshot.rows<SpendRow>(sql`
    select account_id, key_hash, day, cast(sum(cost) as bigint) as charge, cast(sum(byok_cost) as bigint) as byok
    from daily_usage where ${within(days)} and day < ${firstKept} group by 1, 2, 3`);
}
