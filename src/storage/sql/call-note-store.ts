import { nanoFromInteger } from '../../core/money.ts';
import type {
  CachedHitStore,
  CachedHits,
  HitFilters,
  HitGroup,
  HitGrouping,
  HitStep,
} from '../../ports/cached-hits.ts';
import {
  type CallNote,
  type CallNoteStore,
  type NewCallNote,
  nothingRan,
  type RefusedQuery,
  type RefusedRequest,
} from '../../ports/call-notes.ts';
import type { Generation } from '../../ports/generations.ts';
import { dayLength, dayName } from '../../util/utc-windows.ts';
import type { SqlDatabase } from './database.ts';
import { rawSql, type SqlStatement, sql } from './statement.ts';
import { all, type DetailsSql, onModel } from './usage-conditions.ts';

interface NoteRow {
  readonly id: string;
  readonly account_id: string;
  readonly at: bigint;
  readonly key_hash: string;
  readonly workspace_id: string | null;
  readonly model: string;
  readonly error_type: string;
  readonly details: string;
  readonly note: string;
}

/** What of a refused request has no column. Names are those that `DetailsSql` reads of records. */
type RefusedDetails = Pick<
  Generation,
  | 'createdAt'
  | 'sessionId'
  | 'externalUser'
  | 'appTitle'
  | 'userAgent'
  | 'httpReferer'
  | 'origin'
  | 'preset'
  | 'presetId'
> & { readonly status: number; readonly message: string; readonly streamed?: true };

/** Notes that one pruning deletes at most, so that no charge waits for it. */
const prunedAtOnce = 1_000;

/** What is kept of calls beside their records, in any SQL engine. Lists run on the connection of reports. */
export class SqlCallNoteStore implements CallNoteStore {
  readonly #db: SqlDatabase;
  readonly #reports: SqlDatabase;
  readonly #details: DetailsSql;

  constructor(db: SqlDatabase, reports: SqlDatabase, details: DetailsSql) {
    this.#db = db;
    this.#reports = reports;
    this.#details = details;
  }

  async add(notes: readonly NewCallNote[]): Promise<void> {
    if (notes.length === 0) return;
    await this.#db.transaction(async (transaction) => {
      for (const { id, accountId, at, asked, plan, refused } of notes) {
        const call = refused?.generation;
        await transaction.change(sql`
          insert into call_notes
            (id, account_id, at, refused, key_hash, workspace_id, model, error_type, details, note)
          values (${id}, ${accountId}, ${at}, ${call === undefined ? 0 : 1}, ${call?.keyHash ?? ''},
            ${call?.workspaceId ?? null}, ${call?.requestedModel ?? ''}, ${call?.errorType ?? ''},
            ${refused === undefined ? '{}' : detailsOf(refused)}, ${JSON.stringify({ asked, plan })})
          on conflict (id) do nothing`);
      }
    });
  }

  async find(id: string) {
    const [row] = await this.#db.rows<NoteRow & { readonly refused: bigint }>(
      sql`select * from call_notes where id = ${id}`,
    );
    if (row === undefined) return undefined;
    const note = JSON.parse(row.note) as CallNote;
    return { ...note, accountId: row.account_id, ...(row.refused === 1n && { refused: refusedFrom(row) }) };
  }

  async refused({ range, filters, calls, before, limit }: RefusedQuery): Promise<readonly RefusedRequest[]> {
    const { accountId, keyHash, workspaceId, model, errorType } = filters;
    const equal = (name: string, value: string | undefined) =>
      value === undefined ? undefined : this.#details.equal(name, value);
    const rows = await this.#reports.rows<NoteRow>(sql`
      select * from call_notes
      where account_id = ${accountId} and refused = 1 and at >= ${range.from} and at < ${range.to} and ${all([
        before === undefined ? undefined : olderThan(before),
        keyHash === undefined ? undefined : sql`key_hash = ${keyHash}`,
        workspaceId === undefined ? undefined : sql`workspace_id = ${workspaceId}`,
        model === undefined ? undefined : onModel(sql`model`, model),
        errorType === undefined ? undefined : sql`error_type = ${errorType}`,
        calls.requestId === undefined ? undefined : sql`id = ${calls.requestId}`,
        equal('sessionId', calls.sessionId),
        equal('externalUser', calls.externalUser),
        equal('appTitle', calls.appTitle),
        equal('preset', calls.preset),
        calls.requestedModel === undefined ? undefined : onModel(sql`model`, calls.requestedModel),
        calls.status === undefined ? undefined : sql`${this.#details.number('status')} = ${calls.status}`,
      ])}
      order by at desc, id desc limit ${limit}`);
    return rows.map(refusedFrom);
  }

  async prune(before: number, mostOfAccount: number): Promise<number> {
    let pruned = await this.#delete(sql`select id from call_notes where at < ${before} order by at`);
    const full = await this.#reports.rows<{ readonly account_id: string }>(sql`
      select account_id from call_notes where refused = 1
      group by account_id having count(*) > ${mostOfAccount}`);
    for (const { account_id: accountId } of full) {
      pruned += await this.#delete(sql`
        select id from call_notes where account_id = ${accountId} and refused = 1
          and at <= (select at from call_notes where account_id = ${accountId} and refused = 1
            order by at desc, id desc limit 1 offset ${mostOfAccount})
        order by at`);
    }
    return pruned;
  }

  #delete(ids: SqlStatement): Promise<number> {
    return this.#db.change(sql`delete from call_notes where id in (${ids} limit ${prunedAtOnce})`);
  }
}

function olderThan({ settledAt, id }: { readonly settledAt: number; readonly id: string }): SqlStatement {
  return sql`at <= ${settledAt} and (at < ${settledAt} or id < ${id})`;
}

function detailsOf({ generation, refusal }: RefusedRequest): string {
  const details: RefusedDetails = {
    createdAt: generation.createdAt,
    sessionId: generation.sessionId,
    externalUser: generation.externalUser,
    appTitle: generation.appTitle,
    userAgent: generation.userAgent,
    httpReferer: generation.httpReferer,
    origin: generation.origin,
    preset: generation.preset,
    presetId: generation.presetId,
    ...(generation.streamed && { streamed: true }),
    ...refusal,
  };
  return JSON.stringify(details);
}

function refusedFrom(row: NoteRow): RefusedRequest {
  const { status, message, streamed = false, ...details } = JSON.parse(row.details) as RefusedDetails;
  const generation: Generation = {
    ...nothingRan,
    ...details,
    id: row.id,
    requestId: row.id,
    accountId: row.account_id,
    keyHash: row.key_hash,
    workspaceId: row.workspace_id,
    settledAt: Number(row.at),
    requestedModel: row.model,
    errorType: row.error_type,
    streamed,
  };
  return { generation, refusal: { status, message } };
}

interface SumRow {
  readonly hit_sum: bigint;
  readonly saved_sum: bigint;
}

const groupings = {
  account: 'account_id',
  key: 'coalesce(api_keys.label, key_hash)',
  model: 'model',
  day: `start / ${dayLength}`,
} satisfies Record<HitGrouping, string>;

// Sums are cast because some engines widen a sum of integers to a decimal type.
const sums = sql`cast(sum(hits) as bigint) as hit_sum, cast(sum(saved) as bigint) as saved_sum`;

/** Counts answers given from the cache in any SQL engine. Reports run on a connection of their own. */
export class SqlCachedHitStore implements CachedHitStore {
  readonly #db: SqlDatabase;
  readonly #reports: SqlDatabase;

  constructor(db: SqlDatabase, reports: SqlDatabase) {
    this.#db = db;
    this.#reports = reports;
  }

  async add(hits: readonly CachedHits[]): Promise<void> {
    if (hits.length === 0) return;
    await this.#db.transaction(async (transaction) => {
      for (const { accountId, start, keyHash, model, workspaceId, hits: count, saved } of hits) {
        await transaction.change(sql`
          insert into cached_hits (account_id, start, key_hash, model, workspace_id, hits, saved)
          values (${accountId}, ${start}, ${keyHash}, ${model}, ${workspaceId ?? ''}, ${count}, ${saved})
          on conflict (account_id, start, key_hash, model)
          do update set hits = cached_hits.hits + excluded.hits, saved = cached_hits.saved + excluded.saved`);
      }
    });
  }

  async groups(
    since: number,
    by: HitGrouping,
    accountId?: string,
    endDay?: number,
  ): Promise<readonly HitGroup[]> {
    const isKey = by === 'key';
    const rows = await this.#reports.rows<SumRow & { readonly grouping: string | bigint }>(sql`
      select ${rawSql(groupings[by])} as grouping, ${sums}
      from cached_hits ${isKey ? sql`left join api_keys on api_keys.hash = cached_hits.key_hash` : sql``}
      where start >= ${Math.ceil(since)}
        ${endDay === undefined ? sql`` : sql`and start < ${endDay * dayLength}`}
        ${accountId === undefined ? sql`` : sql`and cached_hits.account_id = ${accountId}`}
      group by ${rawSql(isKey ? 'key_hash, api_keys.label' : '1')} order by 1`);
    return rows.map(({ grouping, ...row }) => ({
      group: typeof grouping === 'bigint' ? dayName(Number(grouping)) : grouping,
      ...toSums(row),
    }));
  }

  async steps(from: number, to: number, filters: HitFilters): Promise<readonly HitStep[]> {
    const rows = await this.#reports.rows<SumRow & { readonly start: bigint }>(sql`
      select start, ${sums} from cached_hits
      where start >= ${from} and start < ${to} ${conditions(filters)}
      group by start order by start`);
    return rows.map(({ start, ...row }) => ({ start: Number(start), ...toSums(row) }));
  }
}

function conditions({ accountId, keyHash, workspaceId, model }: HitFilters): SqlStatement {
  const isPattern = model?.endsWith('*') === true;
  const beginning = model?.slice(0, -1) ?? '';
  return sql`
    ${accountId === undefined ? sql`` : sql`and account_id = ${accountId}`}
    ${keyHash === undefined ? sql`` : sql`and key_hash = ${keyHash}`}
    ${workspaceId === undefined ? sql`` : sql`and workspace_id = ${workspaceId}`}
    ${model === undefined || isPattern ? sql`` : sql`and model = ${model}`}
    ${isPattern ? sql`and substr(model, 1, ${beginning.length}) = ${beginning}` : sql``}`;
}

function toSums({ hit_sum, saved_sum }: SumRow) {
  return { hits: Number(hit_sum), saved: nanoFromInteger(saved_sum) };
}
