import type { SchemaDialect } from '../schema-dialect.ts';

/** Secrets of rotated keys: as JSON beside the key, and where to find the key by each of them but its first. */
export function keySecrets({ text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `alter table api_keys add column secrets ${text}`,
    `create table key_secrets (hash ${text} primary key not null, key_hash ${text} not null) ${tableEnd}`,
    'create index key_secrets_by_key on key_secrets (key_hash)',
  ];
}
