import { nanoFromInteger } from '../../core/money.ts';
import type {
  CachedHitStore,
  CachedHits,
  HitFilters,
  HitGroup,
  HitGrouping,
  HitStep,
} from '../../ports/cached-hits.ts';
import { dayLength, dayName } from '../../util/utc-windows.ts';
import type { SqlDatabase } from './database.ts';
import { rawSql, type SqlStatement, sql } from './statement.ts';

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

  async groups(since: number, by: HitGrouping, accountId?: string): Promise<readonly HitGroup[]> {
    const isKey = by === 'key';
    const rows = await this.#reports.rows<SumRow & { readonly grouping: string | bigint }>(sql`
      select ${rawSql(groupings[by])} as grouping, ${sums}
      from cached_hits ${isKey ? sql`left join api_keys on api_keys.hash = cached_hits.key_hash` : sql``}
      where start >= ${Math.ceil(since)}
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
