import type { SchemaDialect } from '../schema-dialect.ts';

/** Answers given from the cache, summed by quarter of an hour: they are no calls and have no records. */
export function cachedHits({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    // workspace_id is empty for keys of none.
    `create table cached_hits (
      account_id ${text} not null, start ${integer} not null, key_hash ${text} not null, model ${text} not null,
      workspace_id ${text} not null, hits ${integer} not null, saved ${integer} not null,
      primary key (account_id, start, key_hash, model)) ${tableEnd}`,
    'create index cached_hits_by_start on cached_hits (start)',
  ];
}
