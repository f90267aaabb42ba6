import { nanoFromInteger } from '../../core/money.ts';
import type { KeySpend, SpendWindows } from '../../ports/keys.ts';
import { type CurrentWindows, type DayRange, windowsAt } from '../../util/utc-windows.ts';
import type { SqlConnection } from './database.ts';
import { type SqlStatement, sql } from './statement.ts';

/** A day's spend of a key, or its spend in all time where `day` is null. */
interface Bucket {
  readonly key_hash: string;
  readonly day: bigint | null;
  readonly charge: bigint;
  readonly byok: bigint;
}

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
  const windows = windowsAt(now);
  const first = Math.min(windows.week.first, windows.month.first);
  const end = Math.max(windows.week.end, windows.month.end);
  const buckets = await db.rows<Bucket>(sql`
    select key_hash, null as day, charge, byok from key_totals where key_hash in (${hashes})
    union all
    select key_hash, day, charge, byok from key_spend
    where key_hash in (${hashes}) and day >= ${first} and day < ${end}`);
  const byKey = Map.groupBy(buckets, (bucket) => bucket.key_hash);
  return (keyHash) => {
    const own = byKey.get(keyHash) ?? [];
    return {
      usage: sumWindows(own, windows, (bucket) => bucket.charge),
      byokUsage: sumWindows(own, windows, (bucket) => bucket.byok),
    };
  };
}

function sumWindows(
  buckets: readonly Bucket[],
  windows: CurrentWindows,
  amount: (bucket: Bucket) => bigint,
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
