import { nanoFromInteger } from '../../core/money.ts';
import type { RouterTrafficRow, RouterTrafficStore } from '../../ports/router-traffic.ts';
import { dayLength } from '../../util/utc-windows.ts';
import type { SqlDatabase } from './database.ts';
import { rawSql, sql } from './statement.ts';
import type { DetailsSql } from './usage-conditions.ts';

interface SumRow {
  readonly day: bigint;
  readonly router: string;
  readonly task: string;
  readonly model: string;
  readonly generations: bigint;
  readonly fallback_sum: bigint;
  readonly input_sum: bigint;
  readonly cached_sum: bigint;
  readonly output_sum: bigint;
  readonly reasoning_sum: bigint;
  readonly cost_sum: bigint;
  readonly list_sum: bigint;
}

/** Sums the calls of routers in any SQL engine, by an index that has no others. */
export class SqlRouterTrafficStore implements RouterTrafficStore {
  readonly #reports: SqlDatabase;
  readonly #details: DetailsSql;

  constructor(reports: SqlDatabase, details: DetailsSql) {
    this.#reports = reports;
    this.#details = details;
  }

  async read(since: number, accountId?: string): Promise<readonly RouterTrafficRow[]> {
    const { text, ofRouters, severalAttempts } = this.#details;
    const start = Math.ceil(since);
    const rows = await this.#reports.rows<SumRow>(sql`
      select day, router, task, model, count(*) as generations, cast(sum(fallback) as bigint) as fallback_sum,
        cast(sum(input_tokens) as bigint) as input_sum, cast(sum(cached_tokens) as bigint) as cached_sum,
        cast(sum(output_tokens) as bigint) as output_sum, cast(sum(reasoning_tokens) as bigint) as reasoning_sum,
        cast(sum(cost) as bigint) as cost_sum, cast(sum(list_cost) as bigint) as list_sum
      from (
        select settled_at / ${rawSql(String(dayLength))} as day, ${text('routedBy')} as router, coalesce(${text('routedTask')}, '') as task,
          coalesce(model, requested_model) as model, case when ${severalAttempts} then 1 else 0 end as fallback, coalesce(input_tokens, 0) as input_tokens,
          coalesce(cached_tokens, 0) as cached_tokens, coalesce(output_tokens, 0) as output_tokens,
          coalesce(reasoning_tokens, 0) as reasoning_tokens, cost, list_cost
        from generations
        where ${ofRouters} and settled_at >= ${start}
          ${accountId === undefined ? sql`` : sql`and account_id = ${accountId}`}
      ) as calls
      group by day, router, task, model order by day, router, task, model`);
    return rows.map((row) => ({
      day: Number(row.day),
      router: row.router,
      task: row.task,
      model: row.model,
      generations: Number(row.generations),
      fallbacks: Number(row.fallback_sum),
      inputTokens: Number(row.input_sum),
      cachedTokens: Number(row.cached_sum),
      outputTokens: Number(row.output_sum),
      reasoningTokens: Number(row.reasoning_sum),
      cost: nanoFromInteger(row.cost_sum),
      listCost: nanoFromInteger(row.list_sum),
    }));
  }
}
