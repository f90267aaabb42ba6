import type { SchemaDialect } from '../schema-dialect.ts';

/** Where workspaces have their traces sent. `config` is what is shown of it; the whole is sealed beside it. */
export function destinations({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `create table destinations (
      id ${text} primary key not null, account_id ${text} not null references accounts (id),
      workspace_id ${text} not null, type ${text} not null, enabled ${integer} not null, settings ${text} not null,
      config ${text} not null, health ${text}, created_at ${integer} not null, updated_at ${integer} not null,
      deleted_at ${integer}, ciphertext ${text}, nonce ${text}, master_key_id ${text}
    ) ${tableEnd}`,
    'create index destinations_by_account on destinations (account_id, created_at)',
    'create index destinations_that_get on destinations (enabled, deleted_at)',
  ];
}
