import { nanoFromInteger } from '../../core/money.ts';
import type { Generation, GenerationStore, UsageGrouping, UsageRow } from '../../ports/generations.ts';
import { dayName } from '../../util/utc-windows.ts';
import type { SqlDatabase } from './database.ts';
import { type GenerationRow, generationFromRow } from './generation-row.ts';
import { rawSql, sql } from './statement.ts';
import type { UsageSource } from './usage-source.ts';

interface SumRow {
  readonly grouping: string | bigint;
  readonly requests: bigint;
  readonly input_sum: bigint;
  readonly cached_sum: bigint;
  readonly output_sum: bigint;
  readonly reasoning_sum: bigint;
  readonly total_cost: bigint;
}

const groupings = {
  account: 'calls.account_id',
  key: 'coalesce(api_keys.label, calls.key_hash)',
  model: 'coalesce(calls.model, calls.requested_model)',
  provider: "coalesce(calls.provider, 'none')",
  day: 'calls.day',
} satisfies Record<UsageGrouping, string>;

/** Several keys may have one label: each is a group of its own. */
const labels = sql`left join api_keys on api_keys.hash = calls.key_hash`;

/** Reads generation records in any SQL engine. Reports run on a connection of their own. */
export class SqlGenerationStore implements GenerationStore {
  readonly #db: SqlDatabase;
  readonly #reports: SqlDatabase;
  readonly #calls: UsageSource;

  constructor(db: SqlDatabase, reports: SqlDatabase, calls: UsageSource) {
    this.#db = db;
    this.#reports = reports;
    this.#calls = calls;
  }

  async find(id: string): Promise<Generation | undefined> {
    const [row] = await this.#db.rows<GenerationRow>(sql`select * from generations where id = ${id}`);
    return row && generationFromRow(row);
  }

  async ofRequest(requestId: string): Promise<readonly Generation[]> {
    const rows = await this.#db.rows<GenerationRow>(sql`
      select * from generations where request_id = ${requestId} order by created_at, id`);
    return rows.map(generationFromRow);
  }

  async countFree(accountId: string, since: number): Promise<number> {
    const start = Math.ceil(since);
    // The index is by settlement, which nothing settled before it was made can precede.
    const [row] = await this.#db.rows<{ readonly requests: bigint }>(sql`
      select count(*) as requests from generations
      where account_id = ${accountId} and settled_at >= ${start} and created_at >= ${start}
        and (requested_model like '%:free' or model like '%:free') and is_byok = 0`);
    return Number(row?.requests ?? 0n);
  }

  /**
   * A generation counts from the instant it was settled, as its charge does. Where nobody was reached the
   * model is the requested one and the provider "none"; a key without a record is named by its hash. A count
   * that was not reported adds nothing.
   */
  async usage(
    since: number,
    by: UsageGrouping,
    accountId?: string,
    endDay?: number,
  ): Promise<readonly UsageRow[]> {
    const range = { since, ...(endDay !== undefined && { endDay }) };
    // Sums are cast because some engines widen a sum of integers to a decimal type.
    const rows = await this.#reports.rows<SumRow>(sql`
      select ${rawSql(groupings[by])} as grouping,
        cast(sum(requests) as bigint) as requests,
        cast(coalesce(sum(input_tokens), 0) as bigint) as input_sum,
        cast(coalesce(sum(cached_tokens), 0) as bigint) as cached_sum,
        cast(coalesce(sum(output_tokens), 0) as bigint) as output_sum,
        cast(coalesce(sum(reasoning_tokens), 0) as bigint) as reasoning_sum,
        cast(sum(cost) as bigint) as total_cost
      from (${this.#calls(range)}) as calls ${by === 'key' ? labels : sql``}
      ${accountId === undefined ? sql`` : sql`where calls.account_id = ${accountId}`}
      group by ${rawSql(by === 'key' ? 'calls.key_hash, api_keys.label' : '1')}
      order by ${rawSql(by === 'day' ? '1' : 'total_cost desc, 1')}`);
    return rows.map((row) => ({
      group: typeof row.grouping === 'bigint' ? dayName(Number(row.grouping)) : row.grouping,
      requests: Number(row.requests),
      inputTokens: Number(row.input_sum),
      cachedTokens: Number(row.cached_sum),
      outputTokens: Number(row.output_sum),
      reasoningTokens: Number(row.reasoning_sum),
      cost: nanoFromInteger(row.total_cost),
    }));
  }
}
