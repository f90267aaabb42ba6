import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import { nanoFromInteger } from '../../core/money.ts';
import type { Account } from '../../ports/accounts.ts';
import type { ApiKey, KeyStore } from '../../ports/keys.ts';
import { accountFromRow } from './account-store.ts';
import type { Schema } from './schema.ts';
import { flag, isSet, numberOrNull } from './values.ts';

type KeyRow = Selectable<Schema['api_keys']>;

/** API keys in any SQL engine (accounts-and-limits 1.4). A deleted key keeps its row but is never found. */
export class SqlKeyStore implements KeyStore {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async create(key: ApiKey): Promise<void> {
    await this.#db.insertInto('api_keys').values(toRow(key)).execute();
  }

  async findWithAccount(
    hash: string,
  ): Promise<{ readonly key: ApiKey; readonly account: Account } | undefined> {
    const row = await this.#db
      .selectFrom('api_keys')
      .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
      .selectAll('api_keys')
      .select([
        'accounts.name as account_name',
        'accounts.kind as account_kind',
        'accounts.disabled as account_disabled',
        'accounts.created_at as account_created_at',
        'accounts.billing_mode',
        'accounts.free_limit_exempt',
        'accounts.inflight_exempt',
        'accounts.default_workspace_id',
      ])
      .where('api_keys.hash', '=', hash)
      .where('api_keys.deleted_at', 'is', null)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const account = accountFromRow({
      ...row,
      id: row.account_id,
      name: row.account_name,
      kind: row.account_kind,
      disabled: row.account_disabled,
      created_at: row.account_created_at,
    });
    return { key: keyFromRow(row), account };
  }

  async listByPrefix(prefix: string, limit: number): Promise<readonly ApiKey[]> {
    const rows = await this.#db
      .selectFrom('api_keys')
      .selectAll()
      // Not LIKE: in a prefix that somebody typed, % and _ are letters like any other.
      .where(sql<string>`substr(hash, 1, ${prefix.length})`, '=', prefix)
      .where('deleted_at', 'is', null)
      .orderBy('created_at', 'desc')
      .orderBy('hash')
      .limit(limit)
      .execute();
    return rows.map(keyFromRow);
  }

  async hasManagementKey(): Promise<boolean> {
    const row = await this.#db
      .selectFrom('api_keys')
      .select('hash')
      .where('kind', '=', 'management')
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  async setDisabled(hash: string, disabled: boolean, now: number): Promise<boolean> {
    return this.#change(hash, { disabled: flag(disabled), updated_at: now });
  }

  async delete(hash: string, now: number): Promise<boolean> {
    return this.#change(hash, { deleted_at: now, updated_at: now });
  }

  async #change(
    hash: string,
    change: { readonly disabled?: number; readonly deleted_at?: number; readonly updated_at: number },
  ): Promise<boolean> {
    const result = await this.#db
      .updateTable('api_keys')
      .set(change)
      .where('hash', '=', hash)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    return result.numUpdatedRows > 0n;
  }
}

function keyFromRow(row: KeyRow): ApiKey {
  return {
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
    createdAt: Number(row.created_at),
    updatedAt: numberOrNull(row.updated_at),
  };
}

function toRow(key: ApiKey): Insertable<Schema['api_keys']> {
  return {
    hash: key.hash,
    account_id: key.accountId,
    workspace_id: key.workspaceId,
    kind: key.kind,
    name: key.name,
    label: key.label,
    disabled: flag(key.disabled),
    limit_amount: key.limit,
    limit_reset: key.limitReset,
    include_byok_in_limit: flag(key.includeByokInLimit),
    expires_at: key.expiresAt,
    creator_user_id: key.creatorUserId,
    created_at: key.createdAt,
    updated_at: key.updatedAt,
    deleted_at: null,
  };
}
