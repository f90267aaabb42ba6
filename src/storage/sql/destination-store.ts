import type { SealedSecret, StoredSecret } from '../../ports/credentials.ts';
import type {
  ActiveDestination,
  Destination,
  DestinationChange,
  DestinationHealth,
  DestinationSettings,
  DestinationStore,
} from '../../ports/destinations.ts';
import { isObject, parseJson } from '../../util/json.ts';
import { type SealedRow, sealedFromRow } from './credential-row.ts';
import { replaceSealed, requireCurrent, sealedUnderOthers } from './credential-store.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
import { sql } from './statement.ts';
import { flag, isSet } from './values.ts';
import { holdWorkspace } from './workspace-store.ts';

interface DestinationRow extends SealedRow {
  readonly id: string;
  readonly account_id: string;
  readonly workspace_id: string;
  readonly type: string;
  readonly enabled: bigint;
  readonly settings: string;
  readonly config: string;
  readonly health: string | null;
  readonly created_at: bigint;
  readonly updated_at: bigint;
}

type Place = Parameters<DestinationStore['update']>[0];

/** Destinations of traces in any SQL engine (docs/spec/destinations.md). */
export class SqlDestinationStore implements DestinationStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  create(destination: Destination, sealed: SealedSecret, most: number): Promise<Destination | undefined> {
    const { id, accountId, workspaceId, type, enabled, config, createdAt, updatedAt } = destination;
    return this.#db.transaction(async (transaction) => {
      await requireCurrent(transaction, sealed);
      // Others that create in this workspace wait here.
      await holdWorkspace(transaction, destination);
      const [count] = await transaction.rows<{ readonly total: bigint }>(sql`
        select count(*) as total from destinations
        where workspace_id = ${workspaceId} and type = ${type} and deleted_at is null`);
      if (Number(count?.total ?? 0n) >= most) return undefined;
      await transaction.change(sql`
        insert into destinations (id, account_id, workspace_id, type, enabled, settings, config, created_at,
          updated_at, ciphertext, nonce, master_key_id)
        values (${id}, ${accountId}, ${workspaceId}, ${type}, ${flag(enabled)}, ${settingsText(destination)},
          ${JSON.stringify(config)}, ${createdAt}, ${updatedAt},
          ${sealed.ciphertext}, ${sealed.nonce}, ${sealed.masterKeyId})`);
      return destination;
    });
  }

  async find(accountId: string, id: string): Promise<Destination | undefined> {
    const [row] = await this.#db.rows<DestinationRow>(sql`
      select * from destinations where id = ${id} and account_id = ${accountId} and deleted_at is null`);
    return row && destinationFromRow(row);
  }

  list({ accountId, workspaceId, offset, limit }: Parameters<DestinationStore['list']>[0]) {
    const wanted = sql`account_id = ${accountId} and deleted_at is null
      and (${flag(workspaceId === undefined)} = 1 or workspace_id = ${workspaceId ?? ''})`;
    return this.#db.snapshot(async (snapshot) => {
      const rows = await snapshot.rows<DestinationRow>(sql`
        select * from destinations where ${wanted} order by created_at, id limit ${limit} offset ${offset}`);
      const [count] = await snapshot.rows<{ readonly total: bigint }>(
        sql`select count(*) as total from destinations where ${wanted}`,
      );
      return { destinations: rows.map(destinationFromRow), total: Number(count?.total ?? 0n) };
    });
  }

  update(
    { accountId, id }: Place,
    change: DestinationChange,
    now: number,
    sealed?: SealedSecret,
  ): Promise<Destination | undefined> {
    return this.#db.transaction(async (transaction) => {
      if (sealed !== undefined) await requireCurrent(transaction, sealed);
      const [row] = await transaction.rows<DestinationRow>(sql`
        update destinations set id = id where id = ${id} and account_id = ${accountId} and deleted_at is null
        returning *`);
      if (row === undefined) return undefined;
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
      // Two changes within a millisecond need different times: those who read it compare them.
      const updatedAt = Math.max(now, Number(row.updated_at) + 1);
      const next: Destination = { ...destinationFromRow(row), ...given, updatedAt };
      await transaction.change(sql`
        update destinations set enabled = ${flag(next.enabled)}, settings = ${settingsText(next)},
          config = ${JSON.stringify(next.config)}, updated_at = ${updatedAt}
        where id = ${id}`);
      if (sealed !== undefined) await writeSealed(transaction, id, sealed);
      return next;
    });
  }

  async delete(accountId: string, id: string, now: number): Promise<boolean> {
    const deleted = await this.#db.change(sql`
      update destinations set deleted_at = ${now}, config = '{}', ciphertext = null, nonce = null,
        master_key_id = null
      where id = ${id} and account_id = ${accountId} and deleted_at is null`);
    return deleted > 0;
  }

  async sealed(id: string): Promise<SealedSecret | undefined> {
    const [row] = await this.#db.rows<SealedRow>(
      sql`select ciphertext, nonce, master_key_id from destinations where id = ${id}`,
    );
    return row && sealedFromRow(row);
  }

  async activeVersion(): Promise<string> {
    const rows = await this.#db.rows<
      Pick<DestinationRow, 'id' | 'updated_at'> & { readonly rules: string }
    >(sql`
      select d.id, d.updated_at, w.settings as rules
      from destinations d join workspaces w on w.id = d.workspace_id
      where d.enabled = 1 and d.deleted_at is null order by d.id`);
    return rows
      .filter(({ rules }) => broadcasts(rules))
      .map(({ id, updated_at: at }) => `${id} ${at}`)
      .join();
  }

  async active(): Promise<readonly ActiveDestination[]> {
    const rows = await this.#db.rows<DestinationRow & { readonly rules: string }>(sql`
      select d.*, w.settings as rules
      from destinations d join workspaces w on w.id = d.workspace_id
      where d.enabled = 1 and d.deleted_at is null order by d.id`);
    return rows.flatMap((row) => {
      const sealed = sealedFromRow(row);
      return sealed === undefined || !broadcasts(row.rules)
        ? []
        : [{ destination: destinationFromRow(row), sealed }];
    });
  }

  async noteHealth(id: string, health: DestinationHealth): Promise<void> {
    await this.#db.change(sql`
      update destinations set health = ${JSON.stringify(health)} where id = ${id} and deleted_at is null`);
  }

  sealedUnderOthers(masterKeyId: string, limit: number): Promise<readonly StoredSecret[]> {
    return sealedUnderOthers(this.#db, 'destinations', masterKeyId, limit);
  }

  replaceSealed(id: string, before: SealedSecret, after: SealedSecret): Promise<boolean> {
    return replaceSealed(this.#db, 'destinations', id, { before, after });
  }
}

async function writeSealed(transaction: SqlConnection, id: string, sealed: SealedSecret): Promise<void> {
  await transaction.change(sql`
    update destinations set ciphertext = ${sealed.ciphertext}, nonce = ${sealed.nonce},
      master_key_id = ${sealed.masterKeyId}
    where id = ${id}`);
}

/** Whether the settings of a workspace let its traces be sent. */
function broadcasts(settings: string): boolean {
  const stored = parseJson(settings);
  return isObject(stored) && stored.broadcast === true;
}

function settingsText(destination: DestinationSettings): string {
  const { name, keyHashes, samplingRate, privacyMode, sendsCost, sendsIdentity, sendsContext, filterRules } =
    destination;
  const settings: Omit<DestinationSettings, 'enabled'> = {
    name,
    keyHashes,
    samplingRate,
    privacyMode,
    sendsCost,
    sendsIdentity,
    sendsContext,
    filterRules,
  };
  return JSON.stringify(settings);
}

function destinationFromRow(row: DestinationRow): Destination {
  const settings: Omit<DestinationSettings, 'enabled'> = JSON.parse(row.settings);
  return {
    id: row.id,
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    type: row.type,
    enabled: isSet(row.enabled),
    ...settings,
    config: JSON.parse(row.config),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    ...(row.health !== null && { health: JSON.parse(row.health) }),
  };
}
