import { formatUsd, usdToNumber } from '../core/money.ts';
import type { CachedHitsReport } from '../operations/reports/cached-hits-report.ts';
import type { HitSums } from '../ports/cached-hits.ts';
import { formatTable } from './format-table.ts';

/** What the cache of answers saved, as JSON. */
export function showHits({ total, groups }: CachedHitsReport) {
  return {
    ...showSums(total),
    ...(groups !== undefined && {
      rows: Array.from(groups, ([group, sums]) => ({ group, ...showSums(sums) })),
    }),
  };
}

function showSums({ hits, saved }: HitSums) {
  return { hits, saved_usd: usdToNumber(saved) };
}

/** What the cache of answers saved, as a table behind that of calls; empty without hits. */
export function hitsTable(by: string, { total, groups }: CachedHitsReport): string {
  if (total.hits === 0) return '';
  const right = (heading: string) => ({ heading, align: 'right' }) as const;
  const rows = [...(groups ?? []), ['Total', total] as const];
  const cells = rows.map(([group, { hits, saved }]) => [group, String(hits), formatUsd(saved)]);
  const columns = [{ heading: by.toUpperCase() }, right('CACHED ANSWERS'), right('SAVED USD')];
  return `\n${formatTable(columns, cells)}`;
}
