import type { SchemaDialect } from '../schema-dialect.ts';

/**
 * Where days and weeks of limits begin, each rule with the moment it was set, and what keys spent by quarter of an hour,
 * which is kept while a rule has a zone other than UTC. And when each key was used last, so far to the day.
 */
export function limitCalendar({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  const isPostgres = tableEnd === '';
  return [
    `create table limit_calendar (
      number ${integer} primary key not null, since ${integer} not null, time_zone ${text} not null,
      week_start ${text} not null
    ) ${tableEnd}`,
    `create table key_spend_quarters (
      key_hash ${text} not null, quarter ${integer} not null, charge ${integer} not null, byok ${integer} not null,
      primary key (key_hash, quarter)
    ) ${isPostgres ? 'with (fillfactor = 70)' : `${tableEnd}, without rowid`}`,
    `alter table key_totals add column last_used_at ${integer}`,
    `update key_totals set last_used_at = (
      select max(day) * 86400000 from key_spend where key_spend.key_hash = key_totals.key_hash)`,
  ];
}
