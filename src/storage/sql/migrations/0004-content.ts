import type { SchemaDialect } from '../schema-dialect.ts';

/** What was said in calls, sealed with keys of an account and a day; and which accounts let it be kept. */
export function content({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `alter table accounts add column content_logging ${integer} not null default 0`,
    `create table content_keys (
      id ${text} primary key not null, account_id ${text} not null references accounts (id), day ${integer} not null,
      ciphertext ${text} not null, nonce ${text} not null, master_key_id ${text} not null
    ) ${tableEnd}`,
    'create unique index content_keys_by_day on content_keys (account_id, day)',
    `create table content (
      generation_id ${text} primary key not null, account_id ${text} not null references accounts (id),
      workspace_id ${text}, key_hash ${text} not null, at ${integer} not null, expires_at ${integer} not null,
      content_key_id ${text} not null, sealed ${text} not null
    ) ${tableEnd}`,
    'create index content_by_account on content (account_id, at)',
    'create index content_by_expiry on content (expires_at)',
    'create index content_by_key on content (content_key_id)',
  ];
}
