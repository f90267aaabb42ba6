import type { SchemaDialect } from '../schema-dialect.ts';

/** What the processes of an installation report of themselves every few seconds. */
export function processes({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `create table processes (
      id ${text} primary key not null, host ${text} not null, pid ${integer} not null, version ${text} not null,
      started_at ${integer} not null, seen_at ${integer} not null, format ${integer} not null,
      figures ${text} not null) ${tableEnd}`,
  ];
}
