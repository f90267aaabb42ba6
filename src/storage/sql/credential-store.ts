import {
  type CredentialChange,
  type CredentialQuery,
  type CredentialStore,
  type NewCredential,
  type ProviderCredential,
  type SealedSecret,
  StaleMasterKey,
  type StoredSecret,
} from '../../ports/credentials.ts';
import {
  type CredentialRow,
  changed,
  credentialFromRow,
  credentialOrder,
  listText,
  type SealedRow,
  sealedFromRow,
} from './credential-row.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
import { rawSql, sql } from './statement.ts';
import { flag } from './values.ts';
import { holdWorkspace } from './workspace-store.ts';

/** Provider credentials in any SQL engine (docs/spec/credentials.md#fields, docs/spec/credentials.md). */
export class SqlCredentialStore implements CredentialStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  create(credential: NewCredential, sealed: SealedSecret): Promise<ProviderCredential> {
    return this.#db.transaction(async (transaction) => {
      await requireCurrent(transaction, sealed);
      await holdWorkspace(transaction, credential);
      const [last] = await transaction.rows<{ readonly place: bigint }>(sql`
        select coalesce(max(sort_order) + 1, 0) as place from provider_credentials
        where account_id = ${credential.accountId} and provider = ${credential.provider}
          and coalesce(workspace_id, '') = ${credential.workspaceId ?? ''} and deleted_at is null`);
      const stored = { ...credential, sortOrder: Number(last?.place ?? 0n) };
      await insert(transaction, stored, sealed);
      return stored;
    });
  }

  async find(id: string): Promise<ProviderCredential | undefined> {
    const [row] = await this.#db.rows<CredentialRow>(
      sql`select * from provider_credentials where id = ${id} and deleted_at is null`,
    );
    return row && credentialFromRow(row);
  }

  async list({ accountId, workspaceId, provider, offset, limit }: CredentialQuery) {
    const wanted = sql`account_id = ${accountId} and deleted_at is null
      and (${flag(workspaceId === undefined)} = 1 or workspace_id is null or workspace_id = ${workspaceId ?? ''})
      and (${flag(provider === undefined)} = 1 or provider = ${provider ?? ''})`;
    return this.#db.snapshot(async (snapshot) => {
      const rows = await snapshot.rows<CredentialRow>(
        sql`select * from provider_credentials where ${wanted} ${credentialOrder} limit ${limit} offset ${offset}`,
      );
      const [count] = await snapshot.rows<{ readonly total: bigint }>(
        sql`select count(*) as total from provider_credentials where ${wanted}`,
      );
      return { credentials: rows.map(credentialFromRow), total: Number(count?.total ?? 0n) };
    });
  }

  update(
    id: string,
    decide: (current: ProviderCredential) => CredentialChange,
    sealed?: SealedSecret,
  ): Promise<ProviderCredential | undefined> {
    return this.#db.transaction(async (transaction) => {
      if (sealed !== undefined) await requireCurrent(transaction, sealed);
      // An update that changes nothing holds the row for the rest of the transaction in every engine.
      const [row] = await transaction.rows<CredentialRow>(sql`
        update provider_credentials set id = id where id = ${id} and deleted_at is null returning *`);
      if (row === undefined) return undefined;
      const current = credentialFromRow(row);
      const next = changed(current, decide(current));
      await write(transaction, next);
      if (sealed !== undefined) await writeSecret(transaction, id, sealed);
      return next;
    });
  }

  async delete(id: string, now: number): Promise<boolean> {
    const deleted = await this.#db.change(sql`
      update provider_credentials
      set deleted_at = ${now}, ciphertext = null, nonce = null, master_key_id = null
      where id = ${id} and deleted_at is null`);
    return deleted > 0;
  }

  async sealed(id: string): Promise<SealedSecret | undefined> {
    const [row] = await this.#db.rows<SealedRow>(
      sql`select ciphertext, nonce, master_key_id from provider_credentials where id = ${id}`,
    );
    return row && sealedFromRow(row);
  }

  async masterKeyId(): Promise<string | undefined> {
    const [row] = await this.#db.rows<{ readonly id: string }>(sql`select id from master_key where slot = 1`);
    return row?.id;
  }

  async useMasterKey(id: string): Promise<void> {
    await this.#db.change(sql`
      insert into master_key (slot, id) values (1, ${id}) on conflict (slot) do update set id = excluded.id`);
  }

  sealedUnderOthers(masterKeyId: string, limit: number): Promise<readonly StoredSecret[]> {
    return sealedUnderOthers(this.#db, 'provider_credentials', masterKeyId, limit);
  }

  replaceSealed(id: string, before: SealedSecret, after: SealedSecret): Promise<boolean> {
    return replaceSealed(this.#db, 'provider_credentials', id, { before, after });
  }

  async carrierSecret(): Promise<SealedSecret | undefined> {
    const [row] = await this.#db.rows<{ readonly id: string }>(
      sql`select id from master_key where slot = ${carrierSlot}`,
    );
    return row && JSON.parse(row.id);
  }

  async replaceCarrierSecret(
    before: SealedSecret | undefined,
    after: SealedSecret | undefined,
  ): Promise<boolean> {
    const [was, is] = [textOf(before), textOf(after)];
    const changed =
      was === undefined
        ? await this.#db.change(
            sql`insert into master_key (slot, id) values (${carrierSlot}, ${is ?? ''}) on conflict (slot) do nothing`,
          )
        : await this.#db.change(
            is === undefined
              ? sql`delete from master_key where slot = ${carrierSlot} and id = ${was}`
              : sql`update master_key set id = ${is} where slot = ${carrierSlot} and id = ${was}`,
          );
    return changed > 0;
  }
}

/** The row beside that of the master key: a secret of the installation that is sealed under it, as JSON. */
const carrierSlot = 2;

function textOf(sealed: SealedSecret | undefined): string | undefined {
  if (sealed === undefined) return undefined;
  const { ciphertext, nonce, masterKeyId } = sealed;
  return JSON.stringify({ ciphertext, nonce, masterKeyId });
}

/** Holds the row of the master key, so that nobody changes it before this transaction ends. */
export async function requireCurrent(
  transaction: SqlConnection,
  { masterKeyId }: SealedSecret,
): Promise<void> {
  const [current] = await transaction.rows<{ readonly id: string }>(sql`
    insert into master_key (slot, id) values (1, ${masterKeyId})
    on conflict (slot) do update set slot = excluded.slot returning id`);
  if (current?.id !== masterKeyId) throw new StaleMasterKey('Another master key is current.');
}

/** The tables whose rows hold a sealed secret. */
type SealedTable = 'provider_credentials' | 'destinations' | 'content_keys';

/** See `CredentialStore.sealedUnderOthers`. */
export async function sealedUnderOthers(
  db: SqlDatabase,
  table: SealedTable,
  masterKeyId: string,
  limit: number,
): Promise<readonly StoredSecret[]> {
  const rows = await db.rows<SealedRow & { readonly id: string; readonly account_id: string }>(sql`
    select id, account_id, ciphertext, nonce, master_key_id from ${rawSql(table)}
    where master_key_id <> ${masterKeyId} order by id limit ${limit}`);
  return rows.flatMap((row) => {
    const sealed = sealedFromRow(row);
    return sealed === undefined ? [] : [{ id: row.id, accountId: row.account_id, sealed }];
  });
}

/** See `CredentialStore.replaceSealed`. */
export function replaceSealed(
  db: SqlDatabase,
  table: SealedTable,
  id: string,
  { before, after }: { readonly before: SealedSecret; readonly after: SealedSecret },
): Promise<boolean> {
  return db.transaction(async (transaction) => {
    await requireCurrent(transaction, after);
    const replaced = await transaction.change(sql`
      update ${rawSql(table)}
      set ciphertext = ${after.ciphertext}, nonce = ${after.nonce}, master_key_id = ${after.masterKeyId}
      where id = ${id} and nonce = ${before.nonce} and master_key_id = ${before.masterKeyId}`);
    return replaced > 0;
  });
}

async function insert(
  transaction: SqlConnection,
  stored: ProviderCredential,
  sealed: SealedSecret,
): Promise<void> {
  await transaction.change(sql`
    insert into provider_credentials (id, account_id, workspace_id, provider, name, label, disabled,
      is_byok_only, is_fallback, is_required, declared_zdr, allowed_models, allowed_key_hashes,
      allowed_user_ids, sort_order, created_at, ciphertext, nonce, master_key_id)
    values (${stored.id}, ${stored.accountId}, ${stored.workspaceId}, ${stored.provider}, ${stored.name},
      ${stored.label}, ${flag(stored.disabled)}, ${flag(stored.isByokOnly)}, ${flag(stored.isFallback)},
      ${flag(stored.isRequired)}, ${stored.declaredZdr === null ? null : flag(stored.declaredZdr)},
      ${listText(stored.allowedModels)}, ${listText(stored.allowedKeyHashes)},
      ${listText(stored.allowedUserIds)}, ${stored.sortOrder}, ${stored.createdAt},
      ${sealed.ciphertext}, ${sealed.nonce}, ${sealed.masterKeyId})`);
}

async function write(transaction: SqlConnection, next: ProviderCredential): Promise<void> {
  await transaction.change(sql`
    update provider_credentials set name = ${next.name}, label = ${next.label},
      disabled = ${flag(next.disabled)}, is_byok_only = ${flag(next.isByokOnly)},
      is_fallback = ${flag(next.isFallback)}, is_required = ${flag(next.isRequired)},
      declared_zdr = ${next.declaredZdr === null ? null : flag(next.declaredZdr)},
      allowed_models = ${listText(next.allowedModels)},
      allowed_key_hashes = ${listText(next.allowedKeyHashes)},
      allowed_user_ids = ${listText(next.allowedUserIds)}, sort_order = ${next.sortOrder}
    where id = ${next.id}`);
}

async function writeSecret(transaction: SqlConnection, id: string, sealed: SealedSecret): Promise<void> {
  await transaction.change(sql`
    update provider_credentials set ciphertext = ${sealed.ciphertext}, nonce = ${sealed.nonce},
      master_key_id = ${sealed.masterKeyId}
    where id = ${id}`);
}
