import { type NanoUsd, sumUsd, zeroUsd } from '../../core/money.ts';
import type { HitGroup, HitGrouping, HitSums } from '../../ports/cached-hits.ts';
import type { UsageGrouping } from '../../ports/generations.ts';
import type { Uses } from '../services.ts';

/** What the cache of answers saved since a moment. */
export interface CachedHitsReport {
  readonly total: HitSums;
  /** By group, where hits can be grouped like calls: no provider makes an answer that is kept. */
  readonly groups?: ReadonlyMap<string, HitSums>;
}

/** Sums the answers that were given from the cache (docs/spec/caching.md#reports). */
export async function reportCachedHits(
  since: number,
  by: UsageGrouping,
  accountId: string | undefined,
  { storage }: Uses<'cachedHits'>,
): Promise<CachedHitsReport> {
  const grouping: HitGrouping | undefined = by === 'provider' ? undefined : by;
  const rows = await storage.cachedHits.groups(since, grouping ?? 'day', accountId);
  const total = rows.reduce(addHits, noHits);
  return grouping === undefined ? { total } : { total, groups: byGroup(rows) };
}

/** No hits. */
export const noHits: HitSums = { hits: 0, saved: zeroUsd };

/** The hits of two groups together. */
export function addHits(one: HitSums, other: HitSums): HitSums {
  const saved: NanoUsd = sumUsd(one.saved, other.saved);
  return { hits: one.hits + other.hits, saved };
}

/** Several keys may have one label. */
function byGroup(rows: readonly HitGroup[]): ReadonlyMap<string, HitSums> {
  const groups = new Map<string, HitSums>();
  for (const row of rows) groups.set(row.group, addHits(groups.get(row.group) ?? noHits, row));
  return groups;
}
