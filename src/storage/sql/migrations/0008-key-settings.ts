import type { SchemaDialect } from '../schema-dialect.ts';

/** Optional settings of keys. A JSON text, so another setting needs no migration: a key is read whole. */
export function keySettings({ text }: SchemaDialect): readonly string[] {
  return [`alter table api_keys add column settings ${text} not null default '{}'`];
}
