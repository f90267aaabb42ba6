import type { SchemaDialect } from '../schema-dialect.ts';

/**
 * Where days and weeks of limits begin, each rule with the moment it was set, and what keys spent by quarter of an hour,
 * which is kept while a rule has a zone other than UTC.
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
  ];
}
