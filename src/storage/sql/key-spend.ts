import { type LimitWindows, resetIntervals, type TimeRange } from '../../core/limit-calendar.ts';
import { nanoFromInteger } from '../../core/money.ts';
import type { KeySpend, SpendWindows } from '../../ports/keys.ts';
import { dayLength } from '../../util/utc-windows.ts';
import type { SqlConnection } from './database.ts';
import { type SqlStatement, sql } from './statement.ts';
import { quarterLength } from './values.ts';

/** What was spent in a UTC day or in a quarter of an hour, both counted from 1970; in all time where both are null. */
export interface SpendBucket {
  readonly day: bigint | null;
  readonly quarter: bigint | null;
  readonly charge: bigint;
  readonly byok: bigint;
}

type KeyBucket = SpendBucket & { readonly key_hash: string };

/** What a key spent in some windows, see `keySpendsIn`. */
export async function keySpendIn(
  db: SqlConnection,
  keyHash: string,
  windows: LimitWindows,
): Promise<KeySpend> {
  const spends = await keySpendsIn(db, sql`${keyHash}`, windows);
  return spends(keyHash);
}

/**
 * What some keys spent in some windows (docs/spec/accounts.md#windows), from one statement, so that totals and windows are of
 * the same moment. Windows need no reset: they are sums of UTC days, and of quarters of an hour where they begin or end
 * within a day.
 * @param hashes The keys, as `in (…)` takes them.
 */
export async function keySpendsIn(
  db: SqlConnection,
  hashes: SqlStatement,
  windows: LimitWindows,
): Promise<(keyHash: string) => KeySpend> {
  const edges = withinEdges(windows);
  const ofEdges =
    edges === undefined
      ? sql``
      : sql`union all select key_hash, null, quarter, charge, byok from key_spend_quarters
          where key_hash in (${hashes}) and (${edges})`;
  const buckets = await db.rows<KeyBucket>(sql`
    select key_hash, cast(null as bigint) as day, cast(null as bigint) as quarter, charge, byok
    from key_totals where key_hash in (${hashes})
    union all
    select key_hash, day, null, charge, byok from key_spend
    where key_hash in (${hashes}) and ${withinDays(windows)} ${ofEdges}`);
  const byKey = Map.groupBy(buckets, (bucket) => bucket.key_hash);
  return (keyHash) => spendOf(byKey.get(keyHash) ?? [], windows);
}

/** A condition on a column `day`: those that lie wholly in a window. */
export function withinDays(windows: LimitWindows): SqlStatement {
  const ranges = resetIntervals.map((interval) => wholeDays(windows[interval]));
  const first = Math.min(...ranges.map((range) => range.first));
  const end = Math.max(...ranges.map((range) => range.end));
  return sql`day >= ${first} and day < ${end}`;
}

/**
 * A condition on a column `quarter`: those at the ends of windows that begin or end within a UTC day. Undefined where none
 * does.
 */
export function withinEdges(windows: LimitWindows): SqlStatement | undefined {
  const edges = new Map(resetIntervals.flatMap((interval) => edgesOf(windows[interval])));
  let all: SqlStatement | undefined;
  for (const [start, end] of edges) {
    const one = sql`quarter >= ${start / quarterLength} and quarter < ${end / quarterLength}`;
    all = all === undefined ? one : sql`${all} or ${one}`;
  }
  return all;
}

/** The spending that buckets amount to, in some windows. */
export function spendOf(buckets: readonly SpendBucket[], windows: LimitWindows): KeySpend {
  return {
    usage: sumWindows(buckets, windows, (bucket) => bucket.charge),
    byokUsage: sumWindows(buckets, windows, (bucket) => bucket.byok),
  };
}

/** The UTC days that lie wholly in a range. */
function wholeDays({ start, end }: TimeRange): { readonly first: number; readonly end: number } {
  return { first: Math.ceil(start / dayLength), end: Math.floor(end / dayLength) };
}

/** What of a range lies in UTC days that reach beyond it: each its start and its end. */
function edgesOf(range: TimeRange): readonly (readonly [number, number])[] {
  const { first, end } = wholeDays(range);
  if (end < first) return [[range.start, range.end]];
  const edges = [
    [range.start, first * dayLength],
    [end * dayLength, range.end],
  ] as const;
  return edges.filter(([from, to]) => from < to);
}

function sumWindows(
  buckets: readonly SpendBucket[],
  windows: LimitWindows,
  amount: (bucket: SpendBucket) => bigint,
): SpendWindows {
  const sum = (belongs: (bucket: SpendBucket) => boolean) => {
    let total = 0n;
    for (const bucket of buckets) if (belongs(bucket)) total += amount(bucket);
    return nanoFromInteger(total);
  };
  const within = (range: TimeRange) => sum((bucket) => belongsTo(range, bucket));
  return {
    total: sum(({ day, quarter }) => day === null && quarter === null),
    daily: within(windows.daily),
    weekly: within(windows.weekly),
    monthly: within(windows.monthly),
  };
}

/** Whether a bucket is one that a range is made of: a whole day, or a quarter in no such day. */
function belongsTo(range: TimeRange, { day, quarter }: SpendBucket): boolean {
  const { first, end } = wholeDays(range);
  const isWhole = (one: number) => one >= first && one < end;
  if (day !== null) return isWhole(Number(day));
  if (quarter === null) return false;
  const start = Number(quarter) * quarterLength;
  return start >= range.start && start < range.end && !isWhole(Math.floor(start / dayLength));
}
