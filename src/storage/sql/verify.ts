import { nanoFromInteger } from '../../core/money.ts';
import { dayLength, dayName, monthName, utcMonth } from '../../core/utc-windows.ts';
import type { LedgerDifference } from '../../ports/ledger.ts';
import type { TotalsRow } from './account-books.ts';
import { type ChargeRow, chargePlace, isLapsed } from './charge-columns.ts';
import { Comparison } from './comparison.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
import { rawSql, sql } from './statement.ts';
import { verifyEntries } from './verify-entries.ts';

interface SpendRow {
  readonly account_id: string;
  readonly key_hash: string;
  readonly day: bigint;
  readonly charge: bigint;
  readonly byok: bigint;
}

/**
 * Recomputes every kept total from ledger entries and generations, all of one moment, and names each difference
 * (operations.md 2, `ledger verify`). Reads every table once.
 * @param held Charges that were promised but that the database refused.
 * @param keepsDailyUsage Whether sums of calls by day are among the totals; they stand for calls that are not kept.
 */
export function verifyBooks(
  db: SqlDatabase,
  held: readonly ChargeRow[],
  keepsDailyUsage: boolean,
): Promise<readonly LedgerDifference[]> {
  return db.snapshot(async (snapshot) => {
    const totals = await snapshot.rows<TotalsRow>(sql`select * from account_totals`);
    const firstDay = keepsDailyUsage ? await firstKeptDay(snapshot) : undefined;
    const calls = await snapshot.rows<SpendRow>(sql`
      select account_id, key_hash, ${rawSql(`settled_at / ${dayLength}`)} as day,
        cast(sum(cost) as bigint) as charge,
        cast(sum(case when is_byok = 1 then list_cost else 0 end) as bigint) as byok
      from generations where settled_at >= ${Number(firstDay ?? 0n) * dayLength} group by 1, 2, 3`);
    const days = firstDay === undefined ? [] : await readDailyUsage(snapshot);
    const spend = [...calls, ...days.filter(({ day }) => day < (firstDay ?? 0n))];
    return [
      ...(await verifyEntries(snapshot, totals)),
      ...verifyCharges(totals, spend),
      ...(await verifyKeys(snapshot, spend)),
      ...(await verifyByokMonths(snapshot, spend)),
      ...(firstDay === undefined ? [] : compareDailyUsage(days, spend)),
      ...(await verifyHeld(snapshot, held)),
    ];
  });
}

function verifyCharges(totals: readonly TotalsRow[], spend: readonly SpendRow[]) {
  const sides = new Comparison((account) => `account ${account}: charges`);
  for (const row of totals) sides.keep(row.charges_total, row.account_id);
  for (const row of spend) sides.recompute(row.charge, row.account_id);
  return sides.differences();
}

async function verifyKeys(snapshot: SqlConnection, spend: readonly SpendRow[]) {
  const days = await snapshot.rows<Omit<SpendRow, 'account_id'>>(sql`select * from key_spend`);
  const totals = await snapshot.rows<Omit<SpendRow, 'account_id' | 'day'>>(sql`select * from key_totals`);
  return [
    ...compareKeys('usage', 'charge', days, totals, spend),
    ...compareKeys('own-credential usage', 'byok', days, totals, spend),
  ];
}

async function verifyByokMonths(snapshot: SqlConnection, spend: readonly SpendRow[]) {
  const months = await snapshot.rows<{
    readonly account_id: string;
    readonly month: bigint;
    readonly list_cost: bigint;
  }>(sql`select * from byok_months`);
  const sides = new Comparison(
    (account, month) => `account ${account}: own-credential usage in ${monthName(Number(month))}`,
  );
  for (const row of months) sides.keep(row.list_cost, row.account_id, row.month);
  for (const row of spend) sides.recompute(row.byok, row.account_id, BigInt(utcMonth(Number(row.day))));
  return sides.differences();
}

function compareKeys(
  name: string,
  amount: 'charge' | 'byok',
  days: readonly Omit<SpendRow, 'account_id'>[],
  totals: readonly Omit<SpendRow, 'account_id' | 'day'>[],
  spend: readonly SpendRow[],
): readonly LedgerDifference[] {
  const byDay = new Comparison((key, day) => `key ${key}: ${name} on ${dayName(Number(day))}`);
  const inAll = new Comparison((key) => `key ${key}: ${name} in all time`);
  for (const row of days) byDay.keep(row[amount], row.key_hash, row.day);
  for (const row of totals) inAll.keep(row[amount], row.key_hash);
  for (const row of spend) {
    byDay.recompute(row[amount], row.key_hash, row.day);
    inAll.recompute(row[amount], row.key_hash);
  }
  return [...byDay.differences(), ...inAll.differences()];
}

/** The first day whose calls are all still there one by one. */
async function firstKeptDay(snapshot: SqlConnection): Promise<bigint> {
  const [row] = await snapshot.rows<{ readonly first_day: bigint }>(
    sql`select first_day from kept_calls where slot = 1`,
  );
  return row?.first_day ?? 0n;
}

function readDailyUsage(snapshot: SqlConnection): Promise<readonly SpendRow[]> {
  return snapshot.rows<SpendRow>(sql`
    select account_id, key_hash, day, cast(sum(cost) as bigint) as charge, cast(sum(byok_cost) as bigint) as byok
    from daily_usage group by 1, 2, 3`);
}

function compareDailyUsage(days: readonly SpendRow[], spend: readonly SpendRow[]) {
  return (['charge', 'byok'] as const).flatMap((amount) => {
    const name = amount === 'charge' ? 'usage' : 'own-credential usage';
    const sides = new Comparison(
      (account, day) => `account ${account}: ${name} reported for ${dayName(Number(day))}`,
    );
    for (const row of days) sides.keep(row[amount], row.account_id, row.day);
    for (const row of spend) sides.recompute(row[amount], row.account_id, row.day);
    return sides.differences();
  });
}

/** A charge the database refused once may have been booked since. */
async function verifyHeld(snapshot: SqlConnection, held: readonly ChargeRow[]) {
  const differences: LedgerDifference[] = [];
  for (const [id, row] of new Map(held.map((one) => [String(one[chargePlace.id]), one]))) {
    const found = await snapshot.rows(sql`
      select id from generations where id = ${id} and not ${rawSql(isLapsed())}`);
    if (found.length > 0) continue;
    const subject = `charge ${id}: refused by the database, kept in the journal`;
    const recomputed = nanoFromInteger(BigInt(row[chargePlace.cost] ?? 0));
    differences.push({ subject, kept: nanoFromInteger(0), recomputed });
  }
  return differences;
}
