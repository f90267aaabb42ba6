import type { SchemaDialect } from '../schema-dialect.ts';

/** The first schema: accounts, workspaces, keys, generations, and the ledger with the totals it keeps. */
export function initialSchema({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  return [
    `create table accounts (
      id ${text} primary key not null,
      name ${text} not null,
      kind ${text} not null,
      billing_mode ${text} not null,
      free_limit_exempt ${integer} not null,
      inflight_exempt ${integer} not null,
      zero_retention ${integer} not null,
      disabled ${integer} not null,
      default_workspace_id ${text},
      created_at ${integer} not null
    ) ${tableEnd}`,
    `create table workspaces (
      id ${text} primary key not null,
      account_id ${text} not null references accounts (id),
      name ${text} not null,
      slug ${text} not null,
      created_at ${integer} not null,
      unique (account_id, slug)
    ) ${tableEnd}`,
    `create table api_keys (
      hash ${text} primary key not null,
      account_id ${text} not null references accounts (id),
      workspace_id ${text},
      kind ${text} not null,
      name ${text} not null,
      label ${text} not null,
      disabled ${integer} not null,
      limit_amount ${integer},
      limit_reset ${text},
      include_byok_in_limit ${integer} not null,
      expires_at ${integer},
      creator_user_id ${text},
      external_user ${text},
      external_key_hash ${text},
      created_at ${integer} not null,
      updated_at ${integer},
      deleted_at ${integer}
    ) ${tableEnd}`,
    'create index api_keys_by_account on api_keys (account_id, created_at)',
    // No foreign keys here: a charge must be booked even when its key or account is unknown to this database.
    `create table generations (
      id ${text} primary key not null,
      account_id ${text} not null,
      key_hash ${text} not null,
      workspace_id ${text},
      created_at ${integer} not null,
      settled_at ${integer} not null,
      requested_model ${text} not null,
      model ${text},
      provider ${text},
      endpoint_tag ${text},
      is_byok ${integer} not null,
      input_tokens ${integer},
      output_tokens ${integer},
      reasoning_tokens ${integer},
      cost ${integer} not null,
      list_cost ${integer} not null,
      details ${text} not null
    ) ${tableEnd}`,
    // The only one: every index costs each settlement, one by key (all over the place) as much as all the rest.
    'create index generations_by_account on generations (account_id, settled_at)',
    // position counts the entries of an account; spent_before is what had been charged to it by then.
    `create table ledger_entries (
      id ${text} primary key not null,
      account_id ${text} not null references accounts (id),
      position ${integer} not null,
      spent_before ${integer} not null,
      type ${text} not null,
      amount ${integer} not null,
      fee ${integer} not null,
      counts_as_purchase ${integer} not null,
      expires_at ${integer},
      external_ref ${text},
      related_id ${text},
      note ${text},
      created_by ${text},
      created_at ${integer} not null,
      unique (account_id, position),
      unique (account_id, external_ref)
    ) ${tableEnd}`,
    // next_expiry is when the next credit expires that may have anything left of it.
    `create table account_totals (
      account_id ${text} primary key not null,
      entry_count ${integer} not null default 0,
      entries_total ${integer} not null default 0,
      charges_total ${integer} not null default 0,
      purchased_total ${integer} not null default 0,
      next_expiry ${integer}
    ) ${tableEnd}`,
    `create table key_spend (
      key_hash ${text} not null,
      day ${integer} not null,
      charge ${integer} not null,
      byok ${integer} not null,
      primary key (key_hash, day)
    ) ${tableEnd}`,
    `create table key_totals (
      key_hash ${text} primary key not null,
      charge ${integer} not null,
      byok ${integer} not null
    ) ${tableEnd}`,
  ];
}
