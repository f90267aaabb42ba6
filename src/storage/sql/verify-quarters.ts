import type { LedgerDifference } from '../../ports/ledger.ts';
import { dayLength } from '../../util/utc-windows.ts';
import { Comparison } from './comparison.ts';
import type { SqlConnection } from './database.ts';
import { quarterLength, quartersInDay } from './spend-quarters.ts';
import { rawSql, sql } from './statement.ts';

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
export async function verifyQuarters(
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
