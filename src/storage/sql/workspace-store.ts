import { HeadgateError } from '../../core/errors.ts';
import {
  plainSettings,
  type RequestDefaults,
  type Workspace,
  type WorkspaceChange,
  type WorkspaceSettings,
  type WorkspaceStore,
} from '../../ports/workspaces.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
import { deleteFiles } from './file-store.ts';
import { deletePresets } from './preset-store.ts';
import { sql } from './statement.ts';
import { numberOrNull } from './values.ts';

interface WorkspaceRow {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly slug: string;
  readonly created_at: bigint;
  readonly settings: string;
  readonly created_by: string | null;
  readonly updated_at: bigint | null;
}

/** Workspaces in any SQL engine (docs/spec/accounts.md#workspaces, docs/spec/accounts.md#managing-workspaces). */
export class SqlWorkspaceStore implements WorkspaceStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  create(workspace: Workspace): Promise<'slug taken' | undefined> {
    const { id, accountId, name, slug, createdAt, updatedAt, createdBy } = workspace;
    return this.#db.transaction(async (transaction) => {
      await holdAccount(transaction, accountId);
      if (await isTaken(transaction, workspace)) return 'slug taken';
      await transaction.change(sql`
        insert into workspaces (id, account_id, name, slug, created_at, settings, created_by, updated_at)
        values (${id}, ${accountId}, ${name}, ${slug}, ${createdAt}, ${settingsText(workspace)},
          ${createdBy}, ${updatedAt})`);
      return undefined;
    });
  }

  async find(accountId: string, idOrSlug: string): Promise<Workspace | undefined> {
    // A slug may look like the id of another workspace; the id wins.
    const [row] = await this.#db.rows<WorkspaceRow>(sql`
      select * from workspaces where account_id = ${accountId} and (id = ${idOrSlug} or slug = ${idOrSlug})
      order by case when id = ${idOrSlug} then 0 else 1 end limit 1`);
    return row && workspaceFromRow(row);
  }

  list({ accountId, offset, limit }: Parameters<WorkspaceStore['list']>[0]) {
    return this.#db.snapshot(async (snapshot) => {
      const rows = await snapshot.rows<WorkspaceRow>(sql`
        select * from workspaces where account_id = ${accountId}
        order by created_at, id limit ${limit} offset ${offset}`);
      const [count] = await snapshot.rows<{ readonly total: bigint }>(
        sql`select count(*) as total from workspaces where account_id = ${accountId}`,
      );
      return { workspaces: rows.map(workspaceFromRow), total: Number(count?.total ?? 0n) };
    });
  }

  update(accountId: string, id: string, change: WorkspaceChange, now: number) {
    return this.#db.transaction(async (transaction): Promise<Workspace | 'slug taken' | undefined> => {
      await holdAccount(transaction, accountId);
      const [row] = await transaction.rows<WorkspaceRow>(
        sql`select * from workspaces where account_id = ${accountId} and id = ${id}`,
      );
      if (row === undefined) return undefined;
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
      const next: Workspace = { ...workspaceFromRow(row), ...given, updatedAt: now };
      if (await isTaken(transaction, next)) return 'slug taken';
      await transaction.change(sql`
        update workspaces set name = ${next.name}, slug = ${next.slug},
          settings = ${settingsText(next)}, updated_at = ${now}
        where id = ${id}`);
      return next;
    });
  }

  delete(accountId: string, id: string, { evenDefault, now }: Parameters<WorkspaceStore['delete']>[2]) {
    return this.#db.transaction(async (transaction) => {
      const isDefault = (await holdAccount(transaction, accountId)) === id;
      const found = await transaction.rows(
        sql`select id from workspaces where account_id = ${accountId} and id = ${id}`,
      );
      if (found.length === 0) return undefined;
      const keys = await transaction.rows(sql`
        select hash from api_keys where account_id = ${accountId} and workspace_id = ${id} and disabled = 0
          and deleted_at is null and (expires_at is null or expires_at > ${now}) limit 1`);
      if (keys.length > 0) return 'has keys';
      if (isDefault && !evenDefault) return 'is the default';
      await deleteFiles(transaction, { accountId, workspaceId: id });
      await remove(transaction, id, now);
      return 'deleted';
    });
  }
}

async function remove(transaction: SqlConnection, id: string, now: number): Promise<void> {
  await transaction.change(sql`
    update provider_credentials
    set deleted_at = ${now}, ciphertext = null, nonce = null, master_key_id = null
    where workspace_id = ${id} and deleted_at is null`);
  await transaction.change(sql`
    update destinations
    set deleted_at = ${now}, config = '{}', ciphertext = null, nonce = null, master_key_id = null
    where workspace_id = ${id} and deleted_at is null`);
  await deletePresets(transaction, id);
  await deleteGuardrails(transaction, id);
  await transaction.change(
    sql`update accounts set default_workspace_id = null where default_workspace_id = ${id}`,
  );
  // What is left are keys that cannot work now; their records go on saying where they were.
  await transaction.change(sql`delete from workspaces where id = ${id}`);
}

/** Holds the account's row for the rest of the transaction; gives its default workspace. */
export async function holdAccount(transaction: SqlConnection, accountId: string): Promise<string | null> {
  const [row] = await transaction.rows<{ readonly default_workspace_id: string | null }>(
    sql`update accounts set id = id where id = ${accountId} returning default_workspace_id`,
  );
  return row?.default_workspace_id ?? null;
}

/**
 * Keeps the workspace of what is about to be stored from being deleted before the transaction ends.
 * @throws HeadgateError `invalid_request` when the account has no such workspace.
 */
export async function holdWorkspace(
  transaction: SqlConnection,
  { accountId, workspaceId }: { readonly accountId: string; readonly workspaceId: string | null },
): Promise<void> {
  if (workspaceId === null) return;
  await holdAccount(transaction, accountId);
  const found = await transaction.rows(
    sql`select id from workspaces where account_id = ${accountId} and id = ${workspaceId}`,
  );
  if (found.length > 0) return;
  throw new HeadgateError('invalid_request', 'workspace_id: is no workspace of this account');
}

async function isTaken(transaction: SqlConnection, { accountId, id, slug }: Workspace): Promise<boolean> {
  const others = await transaction.rows(
    sql`select id from workspaces where account_id = ${accountId} and slug = ${slug} and id <> ${id}`,
  );
  return others.length > 0;
}

function settingsText(settings: WorkspaceSettings): string {
  const names = Object.keys(plainSettings) as (keyof WorkspaceSettings)[];
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, settings[name]])));
}

/** What of a workspace's stored settings requests go by; left out where nothing is set. */
export function requestDefaults(settings: string | null): { readonly defaults?: RequestDefaults } {
  if (settings === null) return {};
  const stored = JSON.parse(settings) as Partial<WorkspaceSettings>;
  const { defaultTextModel, defaultProviderSort, disabledServerTools: disabled, pluginDefaults } = stored;
  const contentLogging = contentLoggingOf(stored);
  const isPlain = !defaultTextModel && !defaultProviderSort && !disabled?.length && !pluginDefaults;
  if (isPlain && contentLogging === undefined) return {};
  return {
    defaults: {
      ...(defaultTextModel ? { textModel: defaultTextModel } : {}),
      ...(defaultProviderSort ? { providerSort: defaultProviderSort } : {}),
      ...(disabled?.length ? { disabledTools: disabled } : {}),
      ...(pluginDefaults ? { plugins: pluginDefaults } : {}),
      ...(contentLogging && { contentLogging }),
    },
  };
}

function contentLoggingOf({
  ioLogging,
  ioLoggingSamplingRate: rate = 1,
  ioLoggingKeyIds: keyNumbers = null,
}: Partial<WorkspaceSettings>): RequestDefaults['contentLogging'] {
  return ioLogging === true ? { rate, keyNumbers } : undefined;
}

function workspaceFromRow(row: WorkspaceRow): Workspace {
  return {
    ...plainSettings,
    ...(JSON.parse(row.settings) as Partial<WorkspaceSettings>),
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    slug: row.slug,
    createdAt: Number(row.created_at),
    updatedAt: numberOrNull(row.updated_at),
    createdBy: row.created_by,
  };
}

/** Deletes the guardrails that are filed in a workspace, its budgets, and places of members in it. */
async function deleteGuardrails(transaction: SqlConnection, workspaceId: string): Promise<void> {
  await transaction.change(sql`
    delete from guardrail_assignments
    where guardrail_id in (select id from guardrails where workspace_id = ${workspaceId})`);
  await transaction.change(sql`delete from guardrails where workspace_id = ${workspaceId}`);
  await transaction.change(sql`delete from workspace_budgets where workspace_id = ${workspaceId}`);
  await transaction.change(sql`delete from workspace_members where workspace_id = ${workspaceId}`);
}
