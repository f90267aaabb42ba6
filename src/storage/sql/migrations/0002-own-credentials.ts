import type { SchemaDialect } from '../schema-dialect.ts';

/** Provider credentials of accounts, what they served by month, and settings of workspaces. */
export function ownCredentials({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `alter table workspaces add column settings ${text} not null default '{}'`,
    `alter table workspaces add column created_by ${text}`,
    `alter table workspaces add column updated_at ${integer}`,
    // Lists are JSON texts. A deleted row keeps its place in the books but neither ciphertext nor nonce.
    `create table provider_credentials (
      id ${text} primary key not null,
      account_id ${text} not null references accounts (id),
      workspace_id ${text},
      provider ${text} not null,
      name ${text},
      label ${text} not null,
      disabled ${integer} not null,
      is_byok_only ${integer} not null,
      is_fallback ${integer} not null,
      is_required ${integer} not null,
      declared_zdr ${integer},
      allowed_models ${text},
      allowed_key_hashes ${text},
      allowed_user_ids ${text},
      sort_order ${integer} not null,
      created_at ${integer} not null,
      ciphertext ${text},
      nonce ${text},
      master_key_id ${text},
      deleted_at ${integer}
    ) ${tableEnd}`,
    'create index provider_credentials_by_account on provider_credentials (account_id, provider, sort_order)',
    // One row: the master key that secrets are taken under.
    `create table master_key (
      slot ${integer} primary key not null,
      id ${text} not null
    ) ${tableEnd}`,
    // month counts from the year 0: year * 12 + month, January 0.
    `create table byok_months (
      account_id ${text} not null,
      month ${integer} not null,
      list_cost ${integer} not null,
      primary key (account_id, month)
    ) ${tableEnd}`,
  ];
}
