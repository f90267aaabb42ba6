import type { SchemaDialect } from '../schema-dialect.ts';

/** When alerts were delivered, and a way to the newest ones. */
export function deliveredAlerts({ integer }: SchemaDialect): readonly string[] {
  return [
    `alter table alerts add column delivered_at ${integer}`,
    'create index alerts_newest on alerts (created_at)',
  ];
}
