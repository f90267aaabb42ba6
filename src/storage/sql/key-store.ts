import { nanoFromInteger } from '../../core/money.ts';
import type { Account } from '../../ports/accounts.ts';
import { type KeySecret, rotatedSecrets } from '../../ports/key-secrets.ts';
import {
  type ApiKey,
  type DerivedSubject,
  type KeyChange,
  type KeyQuery,
  type KeyRotation,
  type KeySettings,
  type KeyStore,
  type KnownKey,
  plainKeySettings,
} from '../../ports/keys.ts';
import { type AccountRow, accountFromRow } from './account-store.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
import { keyOfSecret, writeSecrets } from './key-secret-rows.ts';
import { rawSql, type SqlStatement, sql } from './statement.ts';
import { flag, flagOrNull, isSet, numberOrNull } from './values.ts';
import { holdWorkspace, requestDefaults } from './workspace-store.ts';

interface KeyRow {
  readonly hash: string;
  readonly account_id: string;
  readonly workspace_id: string | null;
  readonly kind: ApiKey['kind'];
  readonly name: string;
  readonly label: string;
  readonly disabled: bigint;
  readonly limit_amount: bigint | null;
  readonly limit_reset: ApiKey['limitReset'];
  readonly include_byok_in_limit: bigint;
  readonly expires_at: bigint | null;
  readonly creator_user_id: string | null;
  readonly external_user: string | null;
  readonly created_at: bigint;
  readonly updated_at: bigint | null;
  readonly settings: string;
  readonly secrets: string | null;
  readonly origin: ApiKey['origin'] | null;
}

/** A row of `knownKeys`: a key's columns with those of its account; columns that both have carry a prefix. */
export interface KnownKeyRow extends KeyRow, Omit<AccountRow, keyof KeyRow | 'id'> {
  readonly account_name: string;
  readonly account_kind: Account['kind'];
  readonly account_disabled: bigint;
  readonly account_created_at: bigint;
  readonly workspace_settings: string | null;
}

/** The columns and tables of keys with what belongs to them. */
export const knownKeys = {
  columns: rawSql(`api_keys.*, accounts.name as account_name, accounts.kind as account_kind,
    accounts.disabled as account_disabled, accounts.created_at as account_created_at,
    billing_mode, free_limit_exempt, inflight_exempt, zero_retention, content_logging, privacy, accounts.rates, plugin_defaults,
    default_workspace_id,
    workspaces.settings as workspace_settings`),
  tables: rawSql(`api_keys join accounts on accounts.id = api_keys.account_id
    left join workspaces on workspaces.id = api_keys.workspace_id`),
};

/** API keys in any SQL engine (docs/spec/accounts.md#api-keys). A deleted key keeps its row but is never found. */
export class SqlKeyStore implements KeyStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  create(key: ApiKey, externalKeyHash: string | null = null): Promise<void> {
    return this.#db.transaction(async (transaction) => {
      await holdWorkspace(transaction, key);
      await transaction.change(insertKey(key, externalKeyHash));
    });
  }

  async findWithAccount(hash: string): Promise<KnownKey | undefined> {
    const [row] = await this.#db.rows<KnownKeyRow>(sql`
      select ${knownKeys.columns} from ${knownKeys.tables} where hash = ${hash} and deleted_at is null`);
    return row && knownKeyFromRow(row);
  }

  async listByPrefix(prefix: string, limit: number): Promise<readonly ApiKey[]> {
    // Not LIKE: in a prefix that somebody typed, % and _ are letters like any other.
    const rows = await this.#db.rows<KeyRow>(sql`
      select * from api_keys
      where substr(hash, 1, length(${prefix})) = ${prefix} and deleted_at is null
      order by created_at desc, hash
      limit ${limit}`);
    return rows.map(keyFromRow);
  }

  async list(query: KeyQuery): Promise<readonly ApiKey[]> {
    const { creatorUserId } = query;
    const rows = await this.#db.rows<KeyRow>(sql`
      select * from api_keys
      where account_id = ${query.accountId} and workspace_id = ${query.workspaceId} and kind = 'inference'
        and deleted_at is null and disabled <= ${flag(query.includeDisabled)}
        ${creatorUserId === undefined ? sql`` : sql`and creator_user_id = ${creatorUserId}`}
      order by created_at desc, hash
      limit ${query.limit} offset ${query.offset}`);
    return rows.map(keyFromRow);
  }

  async update(hash: string, change: KeyChange, now: number): Promise<ApiKey | undefined> {
    const settings = settingsOf(change);
    if (Object.keys(settings).length === 0) return updateKey(this.#db, hash, change, now);
    return this.#db.transaction(async (transaction) => {
      const key = await updateKey(transaction, hash, change, now);
      if (key === undefined) return undefined;
      const next = { ...key, ...settings };
      await transaction.change(
        sql`update api_keys set settings = ${settingsText(next)} where hash = ${hash}`,
      );
      return next;
    });
  }

  rotate(hash: string, { fresh, endsAt }: KeyRotation): Promise<ApiKey | undefined> {
    return this.#db.transaction(async (transaction) => {
      // Keeps the row locked: rotations of a key come one after the other.
      const key = await updateKey(transaction, hash, {}, fresh.createdAt);
      if (key === undefined) return undefined;
      const secrets = rotatedSecrets(key, fresh, endsAt);
      await transaction.change(sql`update api_keys set label = ${fresh.label} where hash = ${hash}`);
      await writeSecrets(transaction, hash, secrets);
      return { ...key, label: fresh.label, secrets };
    });
  }

  keyOfSecret(secretHash: string): Promise<string | undefined> {
    return keyOfSecret(this.#db, secretHash);
  }

  async findDerived({ accountId, issuer, policy, subject }: DerivedSubject): Promise<string | undefined> {
    const [row] = await this.#db.rows<{ readonly key_hash: string }>(sql`
      select key_hash from derived_keys
      where account_id = ${accountId} and issuer = ${issuer} and policy = ${policy} and subject = ${subject}`);
    return row?.key_hash;
  }

  derive(
    key: ApiKey,
    { accountId, issuer, policy, subject }: DerivedSubject,
    most: number,
  ): Promise<boolean> {
    return this.#db.transaction(async (transaction) => {
      const [found] = await transaction.rows<{ readonly subjects: bigint }>(sql`
        select count(*) as subjects from derived_keys
        where account_id = ${accountId} and issuer = ${issuer} and policy = ${policy}`);
      if (Number(found?.subjects ?? 0) >= most) return false;
      await holdWorkspace(transaction, key);
      await transaction.change(insertKey(key, null));
      await transaction.change(sql`
        insert into derived_keys (account_id, issuer, policy, subject, key_hash)
        values (${accountId}, ${issuer}, ${policy}, ${subject}, ${key.hash})`);
      return true;
    });
  }

  async hasManagementKey(): Promise<boolean> {
    const found = await this.#db.rows(sql`select hash from api_keys where kind = 'management' limit 1`);
    return found.length > 0;
  }

  async delete(hash: string, now: number): Promise<boolean> {
    const deleted = await this.#db.change(sql`
      update api_keys set deleted_at = ${now}, updated_at = ${now}
      where hash = ${hash} and deleted_at is null`);
    return deleted > 0;
  }
}

/** Changes the columns of a key; its settings stay. Keeps the row locked for the rest of a transaction. */
async function updateKey(
  connection: SqlConnection,
  hash: string,
  change: KeyChange,
  now: number,
): Promise<ApiKey | undefined> {
  const [row] = await connection.rows<KeyRow>(sql`
      update api_keys set
        name = coalesce(${change.name ?? null}, name),
        disabled = coalesce(${flagOrNull(change.disabled)}, disabled),
        include_byok_in_limit = coalesce(${flagOrNull(change.includeByokInLimit)}, include_byok_in_limit),
        limit_amount = case when ${flag(change.limit !== undefined)} = 1
          then ${change.limit ?? null} else limit_amount end,
        limit_reset = case when ${flag(change.limitReset !== undefined)} = 1
          then ${change.limitReset ?? null} else limit_reset end,
        updated_at = ${now}
      where hash = ${hash} and deleted_at is null returning *`);
  return row && keyFromRow(row);
}

function insertKey(key: ApiKey, externalKeyHash: string | null): SqlStatement {
  return sql`
    insert into api_keys (hash, account_id, workspace_id, kind, name, label, disabled, limit_amount,
      limit_reset, include_byok_in_limit, expires_at, creator_user_id, external_user,
      external_key_hash, created_at, updated_at, settings, origin)
    values (${key.hash}, ${key.accountId}, ${key.workspaceId}, ${key.kind}, ${key.name}, ${key.label},
      ${flag(key.disabled)}, ${key.limit}, ${key.limitReset}, ${flag(key.includeByokInLimit)},
      ${key.expiresAt}, ${key.creatorUserId}, ${key.externalUser}, ${externalKeyHash}, ${key.createdAt}, ${key.updatedAt}, ${settingsText(key)},
      ${key.origin ?? null})`;
}

/** The key a row of `knownKeys` holds, with what belongs to it. */
export function knownKeyFromRow(row: KnownKeyRow): KnownKey {
  const account = accountFromRow({
    ...row,
    id: row.account_id,
    name: row.account_name,
    kind: row.account_kind,
    disabled: row.account_disabled,
    created_at: row.account_created_at,
  });
  return { key: keyFromRow(row), account, ...requestDefaults(row.workspace_settings) };
}

function keyFromRow(row: KeyRow): ApiKey {
  return {
    ...plainKeySettings,
    ...(JSON.parse(row.settings) as Partial<KeySettings>),
    hash: row.hash,
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    kind: row.kind,
    name: row.name,
    label: row.label,
    disabled: isSet(row.disabled),
    limit: row.limit_amount === null ? null : nanoFromInteger(row.limit_amount),
    limitReset: row.limit_reset,
    includeByokInLimit: isSet(row.include_byok_in_limit),
    expiresAt: numberOrNull(row.expires_at),
    creatorUserId: row.creator_user_id,
    externalUser: row.external_user,
    createdAt: Number(row.created_at),
    updatedAt: numberOrNull(row.updated_at),
    ...(row.origin != null && { origin: row.origin }),
    ...(row.secrets !== null && { secrets: JSON.parse(row.secrets) as KeySecret[] }),
  };
}

/** The settings that a key or a change holds. */
function settingsOf(holder: Partial<KeySettings>): Partial<KeySettings> {
  const entries = Object.entries(holder).filter(
    ([name, value]) => name in plainKeySettings && value !== undefined,
  );
  return Object.fromEntries(entries);
}

function settingsText(key: KeySettings): string {
  return JSON.stringify(settingsOf(key));
}
