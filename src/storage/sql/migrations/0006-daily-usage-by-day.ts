import type { SchemaDialect } from '../schema-dialect.ts';

/**
 * Finds sums of some days among those of years. The small index they had is passed over by the planner, which takes their
 * rows to lie anywhere and reads them all instead. Its successor is small as well: days repeat.
 */
export function dailyUsageByDay({ keepsDailyUsage }: SchemaDialect): readonly string[] {
  if (!keepsDailyUsage) return [];
  return ['drop index daily_usage_by_day', 'create index daily_usage_by_day on daily_usage (day)'];
}
