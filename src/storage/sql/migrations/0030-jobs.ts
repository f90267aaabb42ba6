import type { SchemaDialect } from '../schema-dialect.ts';

/** Work that goes on after the request that began it; of each kind one at a time. */
export function jobs({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `create table jobs (
      id ${text} primary key not null, kind ${text} not null, state ${text} not null, done ${integer} not null,
      steps ${integer} not null, result ${text}, created_by ${text} not null, created_at ${integer} not null,
      updated_at ${integer} not null) ${tableEnd}`,
    `create unique index jobs_running on jobs (kind) where state = 'running'`,
  ];
}
