import type { ColumnType } from 'kysely';
import type { BillingMode } from '../../ports/accounts.ts';
import type { ApiKey, LimitReset } from '../../ports/keys.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';

/**
 * A 64-bit integer column. Every engine hands these out as bigint, so that money never passes through
 * floating point; times (Unix milliseconds), counts and flags (0 or 1) are narrowed where they are mapped.
 */
export type IntegerColumn = ColumnType<bigint, bigint | number, bigint | number>;

/** An integer column that may be null. */
export type NullableIntegerColumn = ColumnType<bigint | null, bigint | number | null, bigint | number | null>;

/** The tables every engine keeps (accounts-and-limits 1, 4, 7). */
export interface Schema {
  accounts: AccountsTable;
  workspaces: WorkspacesTable;
  api_keys: ApiKeysTable;
  generations: GenerationsTable;
  ledger_entries: LedgerEntriesTable;
  account_totals: AccountTotalsTable;
  key_spend: KeySpendTable;
  key_totals: KeyTotalsTable;
}

interface AccountsTable {
  id: string;
  name: string;
  kind: 'personal' | 'organization';
  billing_mode: BillingMode;
  free_limit_exempt: IntegerColumn;
  inflight_exempt: IntegerColumn;
  disabled: IntegerColumn;
  default_workspace_id: string | null;
  created_at: IntegerColumn;
}

interface WorkspacesTable {
  id: string;
  account_id: string;
  name: string;
  slug: string;
  created_at: IntegerColumn;
}

interface ApiKeysTable {
  hash: string;
  account_id: string;
  workspace_id: string | null;
  kind: ApiKey['kind'];
  name: string;
  label: string;
  disabled: IntegerColumn;
  limit_amount: NullableIntegerColumn;
  limit_reset: LimitReset;
  include_byok_in_limit: IntegerColumn;
  expires_at: NullableIntegerColumn;
  creator_user_id: string | null;
  created_at: IntegerColumn;
  updated_at: NullableIntegerColumn;
  deleted_at: NullableIntegerColumn;
}

/** One row for each model call; a null count was not reported. */
export interface GenerationsTable {
  id: string;
  request_id: string;
  account_id: string;
  key_hash: string;
  workspace_id: string | null;
  created_at: IntegerColumn;
  settled_at: IntegerColumn;
  requested_model: string;
  model: string | null;
  provider: string | null;
  endpoint_tag: string | null;
  upstream_id: string | null;
  session_id: string | null;
  external_user: string | null;
  http_referer: string | null;
  app_title: string | null;
  user_agent: string | null;
  service_tier: string | null;
  is_byok: IntegerColumn;
  streamed: IntegerColumn;
  cancelled: IntegerColumn;
  finish_reason: string | null;
  native_finish_reason: string | null;
  error_type: string | null;
  latency: NullableIntegerColumn;
  generation_time: NullableIntegerColumn;
  uncached_input: NullableIntegerColumn;
  cache_read: NullableIntegerColumn;
  cache_write: NullableIntegerColumn;
  cache_write_long: NullableIntegerColumn;
  audio_input: NullableIntegerColumn;
  output: NullableIntegerColumn;
  reasoning: NullableIntegerColumn;
  usage_estimated: IntegerColumn;
  insured: IntegerColumn;
  cost: IntegerColumn;
  list_cost: IntegerColumn;
  /** JSON text. */
  attempts: string;
}

interface LedgerEntriesTable {
  id: string;
  account_id: string;
  type: LedgerEntry['type'];
  amount: IntegerColumn;
  counts_as_purchase: IntegerColumn;
  external_ref: string | null;
  note: string | null;
  created_at: IntegerColumn;
}

/** Sums of an account: of its entries, of what it was charged, of the entries that count as purchases. */
interface AccountTotalsTable {
  account_id: string;
  entries_total: IntegerColumn;
  charges_total: IntegerColumn;
  purchased_total: IntegerColumn;
}

/** What a key spent in one UTC day; `day` counts days since 1970-01-01. */
interface KeySpendTable {
  key_hash: string;
  day: IntegerColumn;
  charge: IntegerColumn;
  byok: IntegerColumn;
}

/** What a key spent in all time. */
interface KeyTotalsTable {
  key_hash: string;
  charge: IntegerColumn;
  byok: IntegerColumn;
}
