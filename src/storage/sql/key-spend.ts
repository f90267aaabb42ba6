import { nanoFromInteger } from '../../core/money.ts';
import type { KeySpend, SpendWindows } from '../../ports/keys.ts';
import { type CurrentWindows, type DayRange, windowsAt } from '../../util/utc-windows.ts';
import type { SqlConnection } from './database.ts';
import { type SqlStatement, sql } from './statement.ts';

/** A day's spend of somebody, or the spend in all time where `day` is null. */
export interface SpendBucket {
  readonly day: bigint | null;
  readonly charge: bigint;
  readonly byok: bigint;
}

type KeyBucket = SpendBucket & { readonly key_hash: string };

/** What a key spent in the windows that hold `now`, see `keySpendsIn`. */
export async function keySpendIn(db: SqlConnection, keyHash: string, now: number): Promise<KeySpend> {
  const spends = await keySpendsIn(db, sql`${keyHash}`, now);
  return spends(keyHash);
}

/**
 * What some keys spent in the windows that hold `now` (docs/spec/accounts.md#windows), from one statement, so that
 * totals and windows are of the same moment. Windows need no reset: they are sums of daily buckets.
 * @param hashes The keys, as `in (…)` takes them.
 */
export async function keySpendsIn(
  db: SqlConnection,
  hashes: SqlStatement,
  now: number,
): Promise<(keyHash: string) => KeySpend> {
  const { first, end } = daysOfWindows(now);
  const buckets = await db.rows<KeyBucket>(sql`
    select key_hash, null as day, charge, byok from key_totals where key_hash in (${hashes})
    union all
    select key_hash, day, charge, byok from key_spend
    where key_hash in (${hashes}) and day >= ${first} and day < ${end}`);
  const byKey = Map.groupBy(buckets, (bucket) => bucket.key_hash);
  return (keyHash) => spendOf(byKey.get(keyHash) ?? [], now);
}

/** The days, as `utcDay` counts them, that the windows of a moment lie in. */
export function daysOfWindows(now: number): DayRange {
  const { week, month } = windowsAt(now);
  return { first: Math.min(week.first, month.first), end: Math.max(week.end, month.end) };
}

/** The spending that buckets of days amount to, in the windows that hold `now`. */
export function spendOf(buckets: readonly SpendBucket[], now: number): KeySpend {
  const windows = windowsAt(now);
  return {
    usage: sumWindows(buckets, windows, (bucket) => bucket.charge),
    byokUsage: sumWindows(buckets, windows, (bucket) => bucket.byok),
  };
}

function sumWindows(
  buckets: readonly SpendBucket[],
  windows: CurrentWindows,
  amount: (bucket: SpendBucket) => bigint,
): SpendWindows {
  const sum = (belongs: (day: bigint | null) => boolean) => {
    let total = 0n;
    for (const bucket of buckets) if (belongs(bucket.day)) total += amount(bucket);
    return nanoFromInteger(total);
  };
  const within = (range: DayRange) => sum((day) => day !== null && day >= range.first && day < range.end);
  return {
    total: sum((day) => day === null),
    daily: within(windows.day),
    weekly: within(windows.week),
    monthly: within(windows.month),
  };
}
