import type { SchemaDialect } from '../schema-dialect.ts';

/**
 * Where the sums of calls end, in an engine that adds to them later than it books (decision 49): the last row of
 * `generations` that is in them, and rows before it that became true charges since.
 */
export function usageFolded({ integer, keepsDailyUsage, tableEnd }: SchemaDialect): readonly string[] {
  if (keepsDailyUsage) return [];
  return [
    `create table usage_folded (slot ${integer} primary key not null, last_row ${integer} not null) ${tableEnd}`,
    'insert into usage_folded select 1, coalesce(max(rowid), 0) from generations',
    `create table usage_late (row_id ${integer} primary key not null) ${tableEnd}`,
    `create trigger usage_late_rows after update on generations
      when old.details like '{"lapsed":true%' and new.rowid <= (select last_row from usage_folded)
      begin insert or ignore into usage_late (row_id) values (new.rowid); end`,
    `create index generations_lapsed on generations (account_id, settled_at) where details like '{"lapsed":true%'`,
  ];
}
