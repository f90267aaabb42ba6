import type { SchemaDialect } from '../schema-dialect.ts';

/** Finds lapsed calls, which are few, where reports read sums by day: those do not hold them. */
export function lapsedCalls({ keepsDailyUsage }: SchemaDialect): readonly string[] {
  if (!keepsDailyUsage) return [];
  return [
    `create index generations_lapsed on generations (account_id, settled_at) where details like '{"lapsed":true%'`,
  ];
}
