import type { ContentFilter, ContentStore, DayKey, SealedContent } from '../../ports/content.ts';
import type { SealedSecret, StoredSecret } from '../../ports/credentials.ts';
import { dayLength } from '../../util/utc-windows.ts';
import { type SealedRow, sealedFromRow } from './credential-row.ts';
import { replaceSealed, requireCurrent, sealedUnderOthers } from './credential-store.ts';
import type { SqlDatabase } from './database.ts';
import { rawSql, sql } from './statement.ts';
import { all } from './usage-conditions.ts';

interface ContentRow {
  readonly generation_id: string;
  readonly account_id: string;
  readonly workspace_id: string | null;
  readonly key_hash: string;
  readonly at: bigint;
  readonly expires_at: bigint;
  readonly content_key_id: string;
  readonly sealed: string;
}

/** Of a key of a day: that nothing is sealed with it. */
const isSpare = rawSql(`not exists (select 1 from content where content_key_id = content_keys.id)
  and not exists (select 1 from feedback where content_key_id = content_keys.id)`);

type DayKeyRow = SealedRow & { readonly id: string; readonly account_id: string };

/** What was said in calls, in any SQL engine (docs/spec/content.md). */
export class SqlContentStore implements ContentStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async add(contents: readonly SealedContent[]): Promise<void> {
    if (contents.length === 0) return;
    await this.#db.transaction(async (transaction) => {
      for (const one of contents) {
        await transaction.change(sql`
          insert into content (generation_id, account_id, workspace_id, key_hash, at, expires_at, content_key_id,
            sealed)
          values (${one.generationId}, ${one.accountId}, ${one.workspaceId}, ${one.keyHash}, ${one.at},
            ${one.expiresAt}, ${one.dayKeyId}, ${one.sealed})
          on conflict (generation_id) do update set content_key_id = excluded.content_key_id,
            sealed = excluded.sealed`);
      }
    });
  }

  async find(accountId: string, generationId: string, now: number): Promise<SealedContent | undefined> {
    const [row] = await this.#db.rows<ContentRow>(sql`
      select * from content
      where generation_id = ${generationId} and account_id = ${accountId} and expires_at > ${now}`);
    return row && contentFromRow(row);
  }

  delete({ accountId, workspaceId, keyHash, before }: ContentFilter, limit: number): Promise<number> {
    const wanted = all([
      sql`account_id = ${accountId}`,
      workspaceId === undefined ? undefined : sql`workspace_id = ${workspaceId}`,
      keyHash === undefined ? undefined : sql`key_hash = ${keyHash}`,
      before === undefined ? undefined : sql`at < ${before}`,
    ]);
    return this.#db.change(sql`
      delete from content where generation_id in (
        select generation_id from content where ${wanted} order by at limit ${limit})`);
  }

  async deleteOne(accountId: string, generationId: string): Promise<boolean> {
    const deleted = await this.#db.change(
      sql`delete from content where generation_id = ${generationId} and account_id = ${accountId}`,
    );
    return deleted > 0;
  }

  async prune(now: number, limit: number): Promise<number> {
    const deleted = await this.#db.change(sql`
      delete from content where generation_id in (
        select generation_id from content where expires_at <= ${now} order by expires_at limit ${limit})`);
    // What waits to be written may be of yesterday.
    await this.#db.change(sql`
      delete from content_keys where day < ${Math.floor(now / dayLength) - 1} and ${isSpare}`);
    return deleted;
  }

  async dropSpareKeys(): Promise<void> {
    await this.#db.change(sql`delete from content_keys where ${isSpare}`);
  }

  keepDayKey({ id, accountId, day }: DayKey, sealed: SealedSecret): Promise<StoredSecret> {
    return this.#db.transaction(async (transaction) => {
      await requireCurrent(transaction, sealed);
      await transaction.change(sql`
        insert into content_keys (id, account_id, day, ciphertext, nonce, master_key_id)
        values (${id}, ${accountId}, ${day}, ${sealed.ciphertext}, ${sealed.nonce}, ${sealed.masterKeyId})
        on conflict (account_id, day) do nothing`);
      const [row] = await transaction.rows<DayKeyRow>(
        sql`select * from content_keys where account_id = ${accountId} and day = ${day}`,
      );
      return storedFrom(row) ?? { id, accountId, sealed };
    });
  }

  async dayKey(id: string): Promise<StoredSecret | undefined> {
    const [row] = await this.#db.rows<DayKeyRow>(sql`select * from content_keys where id = ${id}`);
    return storedFrom(row);
  }

  sealedUnderOthers(masterKeyId: string, limit: number): Promise<readonly StoredSecret[]> {
    return sealedUnderOthers(this.#db, 'content_keys', masterKeyId, limit);
  }

  replaceSealed(id: string, before: SealedSecret, after: SealedSecret): Promise<boolean> {
    return replaceSealed(this.#db, 'content_keys', id, { before, after });
  }
}

function storedFrom(row: DayKeyRow | undefined): StoredSecret | undefined {
  const sealed = row && sealedFromRow(row);
  return sealed && row && { id: row.id, accountId: row.account_id, sealed };
}

function contentFromRow(row: ContentRow): SealedContent {
  return {
    generationId: row.generation_id,
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    keyHash: row.key_hash,
    at: Number(row.at),
    expiresAt: Number(row.expires_at),
    dayKeyId: row.content_key_id,
    sealed: row.sealed,
  };
}
