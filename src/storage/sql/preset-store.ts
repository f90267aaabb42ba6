import type {
  NewPresetVersion,
  Preset,
  PresetChange,
  PresetPlace,
  PresetRefusal,
  PresetStatus,
  PresetStore,
  PresetVersion,
} from '../../ports/presets.ts';
import { isObject, parseJson } from '../../util/json.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
import { rawSql, type SqlStatement, sql } from './statement.ts';
import { numberOrNull } from './values.ts';

interface PresetRow {
  readonly id: string;
  readonly account_id: string;
  readonly workspace_id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: PresetStatus;
  readonly status_updated_at: bigint | null;
  readonly creator_user_id: string | null;
  readonly created_at: bigint;
  readonly updated_at: bigint;
}

interface VersionRow {
  readonly preset_id: string;
  readonly version: bigint;
  readonly version_id: string;
  readonly creator_id: string;
  readonly system_prompt: string | null;
  readonly config: string;
  readonly version_created_at: bigint;
}

type JoinedRow = PresetRow & VersionRow;

/** Presets in any SQL engine (docs/spec/presets.md). */
export class SqlPresetStore implements PresetStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  find(place: PresetPlace, slug: string): Promise<Preset | undefined> {
    return findIn(this.#db, place, slug);
  }

  list({ accountId, workspaceId, offset, limit }: Parameters<PresetStore['list']>[0]) {
    return this.#db.snapshot(async (snapshot) => {
      const rows = await snapshot.rows<JoinedRow>(sql`
        select p.*, v.preset_id, v.version, v.id as version_id, v.creator_id, v.system_prompt, v.config,
          v.created_at as version_created_at
        from presets p join preset_versions v on v.preset_id = p.id and v.version = p.version
        where p.account_id = ${accountId} and p.workspace_id = ${workspaceId}
        order by p.slug limit ${limit} offset ${offset}`);
      const total = await countOf(
        snapshot,
        sql`select count(*) as total from presets
          where account_id = ${accountId} and workspace_id = ${workspaceId}`,
      );
      return { presets: rows.map(presetFromRow), total };
    });
  }

  save(
    preset: Parameters<PresetStore['save']>[0],
    version: NewPresetVersion,
    now: number,
    limits: Parameters<PresetStore['save']>[3],
  ): Promise<Preset | PresetRefusal> {
    const { accountId, workspaceId, slug } = preset;
    return this.#db.transaction(async (transaction) => {
      // Others that save in this workspace wait here.
      const held = await transaction.rows(sql`
        update workspaces set id = id where account_id = ${accountId} and id = ${workspaceId} returning id`);
      if (held.length === 0) return 'no workspace';
      const known = await findIn(transaction, preset, slug);
      const refusal =
        known === undefined
          ? await this.#create(transaction, preset, now, limits.presets)
          : await roomFor(transaction, known, limits.versions);
      if (refusal !== undefined) return refusal;
      const presetId = known?.id ?? preset.id;
      const number = 1 + (await newestOf(transaction, presetId));
      const { id, creatorId, systemPrompt, config } = version;
      const settings = JSON.stringify(config);
      const more = Buffer.byteLength(settings) + Buffer.byteLength(systemPrompt ?? '');
      if ((await bytesIn(transaction, workspaceId)) + more > limits.bytes) {
        if (known === undefined) await transaction.change(sql`delete from presets where id = ${presetId}`);
        return 'too many bytes';
      }
      await transaction.change(sql`
        insert into preset_versions (preset_id, version, id, creator_id, system_prompt, config, created_at)
        values (${presetId}, ${number}, ${id}, ${creatorId}, ${systemPrompt}, ${settings}, ${now})`);
      await transaction.change(
        sql`update presets set version = ${number}, updated_at = ${now} where id = ${presetId}`,
      );
      const saved = await findIn(transaction, preset, slug);
      if (saved === undefined) throw new Error('A preset that was just stored is missing.');
      return saved;
    });
  }

  async versions(presetId: string, { offset, limit }: { readonly offset: number; readonly limit: number }) {
    return this.#db.snapshot(async (snapshot) => {
      const rows = await snapshot.rows<VersionRow>(sql`
        select preset_id, version, id as version_id, creator_id, system_prompt, config,
          created_at as version_created_at
        from preset_versions where preset_id = ${presetId}
        order by version desc limit ${limit} offset ${offset}`);
      const total = await countOf(
        snapshot,
        sql`select count(*) as total from preset_versions where preset_id = ${presetId}`,
      );
      return { versions: rows.map(versionFromRow), total };
    });
  }

  async version(presetId: string, version: number): Promise<PresetVersion | undefined> {
    const [row] = await this.#db.rows<VersionRow>(sql`
      select preset_id, version, id as version_id, creator_id, system_prompt, config,
        created_at as version_created_at
      from preset_versions where preset_id = ${presetId} and version = ${version}`);
    return row && versionFromRow(row);
  }

  update(
    place: PresetPlace,
    slug: string,
    { designatedVersionId: chosen, ...change }: PresetChange,
    now: number,
  ) {
    return this.#db.transaction(async (transaction): Promise<Preset | 'no such version' | undefined> => {
      const known = await findIn(transaction, place, slug);
      if (known === undefined) return undefined;
      const designated =
        chosen === undefined ? known.designated : await versionOf(transaction, known.id, chosen);
      if (designated === undefined) return 'no such version';
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
      const next: Preset = { ...known, ...given, designated };
      const statusAt = next.status === known.status ? known.statusUpdatedAt : now;
      await transaction.change(sql`
        update presets set name = ${next.name}, description = ${next.description}, status = ${next.status},
          status_updated_at = ${statusAt}, version = ${designated.version}, updated_at = ${now}
        where id = ${known.id}`);
      return { ...next, statusUpdatedAt: statusAt, updatedAt: now };
    });
  }

  async #create(
    transaction: SqlConnection,
    { id, accountId, workspaceId, slug, creatorUserId }: Parameters<PresetStore['save']>[0],
    now: number,
    most: number,
  ): Promise<PresetRefusal | undefined> {
    const total = await countOf(
      transaction,
      sql`select count(*) as total from presets where workspace_id = ${workspaceId}`,
    );
    if (total >= most) return 'too many presets';
    await transaction.change(sql`
      insert into presets (id, account_id, workspace_id, slug, name, description, status, status_updated_at,
        creator_user_id, version, created_at, updated_at)
      values (${id}, ${accountId}, ${workspaceId}, ${slug}, ${slug}, ${null}, ${'active'}, ${null},
        ${creatorUserId}, ${0}, ${now}, ${now})`);
    return undefined;
  }
}

/** Deletes the presets of a workspace that is deleted. */
export async function deletePresets(transaction: SqlConnection, workspaceId: string): Promise<void> {
  await transaction.change(sql`
    delete from preset_versions where preset_id in (select id from presets where workspace_id = ${workspaceId})`);
  await transaction.change(sql`delete from presets where workspace_id = ${workspaceId}`);
}

async function findIn(
  connection: SqlConnection,
  { accountId, workspaceId }: PresetPlace,
  slug: string,
): Promise<Preset | undefined> {
  const [row] = await connection.rows<JoinedRow>(sql`
    select p.*, v.preset_id, v.version, v.id as version_id, v.creator_id, v.system_prompt, v.config,
      v.created_at as version_created_at
    from presets p join preset_versions v on v.preset_id = p.id and v.version = p.version
    where p.account_id = ${accountId} and p.workspace_id = ${workspaceId} and p.slug = ${slug}`);
  return row && presetFromRow(row);
}

async function roomFor(
  transaction: SqlConnection,
  { id }: Preset,
  most: number,
): Promise<PresetRefusal | undefined> {
  return (await newestOf(transaction, id)) >= most ? 'too many versions' : undefined;
}

/** Bytes of all versions of the presets of a workspace. */
async function bytesIn(transaction: SqlConnection, workspaceId: string): Promise<number> {
  const [row] = await transaction.rows<{ readonly bytes: bigint | null }>(sql`
    select cast(sum(octet_length(config) + octet_length(coalesce(system_prompt, ''))) as ${rawSql('bigint')}) as bytes
    from preset_versions where preset_id in (select id from presets where workspace_id = ${workspaceId})`);
  return Number(row?.bytes ?? 0n);
}

async function newestOf(transaction: SqlConnection, presetId: string): Promise<number> {
  const [row] = await transaction.rows<{ readonly newest: bigint | null }>(
    sql`select max(version) as newest from preset_versions where preset_id = ${presetId}`,
  );
  return Number(row?.newest ?? 0n);
}

async function versionOf(
  connection: SqlConnection,
  presetId: string,
  id: string,
): Promise<PresetVersion | undefined> {
  const [row] = await connection.rows<VersionRow>(sql`
    select preset_id, version, id as version_id, creator_id, system_prompt, config,
      created_at as version_created_at
    from preset_versions where preset_id = ${presetId} and id = ${id}`);
  return row && versionFromRow(row);
}

async function countOf(connection: SqlConnection, statement: SqlStatement): Promise<number> {
  const [row] = await connection.rows<{ readonly total: bigint }>(statement);
  return Number(row?.total ?? 0n);
}

function presetFromRow(row: JoinedRow): Preset {
  return {
    id: row.id,
    accountId: row.account_id,
    workspaceId: row.workspace_id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    status: row.status,
    statusUpdatedAt: numberOrNull(row.status_updated_at),
    creatorUserId: row.creator_user_id,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    designated: versionFromRow(row),
  };
}

function versionFromRow(row: VersionRow): PresetVersion {
  const config = parseJson(row.config);
  return {
    id: row.version_id,
    presetId: row.preset_id,
    creatorId: row.creator_id,
    version: Number(row.version),
    systemPrompt: row.system_prompt,
    config: isObject(config) ? config : {},
    createdAt: Number(row.version_created_at),
  };
}
