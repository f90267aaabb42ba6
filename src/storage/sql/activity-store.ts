import { nanoFromInteger } from '../../core/money.ts';
import type { ActivityQuery, ActivityRow, ActivityStore } from '../../ports/activity.ts';
import type { RouterTrafficRow, RouterTrafficStore } from '../../ports/router-traffic.ts';
import { dayLength } from '../../util/utc-windows.ts';
import type { SqlDatabase } from './database.ts';
import { rawSql, sql } from './statement.ts';
import type { DetailsSql } from './usage-conditions.ts';
import type { UsageSource } from './usage-source.ts';

interface Row {
  readonly day: bigint;
  readonly model: string;
  readonly provider: string;
  readonly endpoint_tag: string;
  readonly workspace: string;
  readonly requests: bigint;
  readonly input_tokens: bigint;
  readonly cached_tokens: bigint;
  readonly output_tokens: bigint;
  readonly reasoning_tokens: bigint;
  readonly cost: bigint;
  readonly byok_cost: bigint;
}

/** Sums an account's generations in any SQL engine (docs/spec/accounts.md#reports). */
export class SqlActivityStore implements ActivityStore {
  readonly #reports: SqlDatabase;
  readonly #calls: UsageSource;

  constructor(reports: SqlDatabase, calls: UsageSource) {
    this.#reports = reports;
    this.#calls = calls;
  }

  async activity(query: ActivityQuery): Promise<readonly ActivityRow[]> {
    const { accountId, byWorkspace, keyHash = null, creatorUserId = null, workspaceId = null } = query;
    const calls = this.#calls({ since: query.firstDay * dayLength, endDay: query.lastDay + 1 });
    const rows = await this.#reports.rows<Row>(sql`
      select day, model, coalesce(provider, '') as provider,
        coalesce(endpoint_tag, '') as endpoint_tag,
        case when ${byWorkspace ? 1 : 0} = 1 then coalesce(calls.workspace_id, '') else '' end as workspace,
        cast(sum(requests) as bigint) as requests,
        cast(coalesce(sum(input_tokens), 0) as bigint) as input_tokens,
        cast(coalesce(sum(cached_tokens), 0) as bigint) as cached_tokens,
        cast(coalesce(sum(output_tokens), 0) as bigint) as output_tokens,
        cast(coalesce(sum(reasoning_tokens), 0) as bigint) as reasoning_tokens,
        cast(sum(cost) as bigint) as cost,
        cast(sum(byok_cost) as bigint) as byok_cost
      from (${calls}) as calls left join api_keys on api_keys.hash = calls.key_hash
      where calls.account_id = ${accountId} and model is not null
        and (cast(${keyHash} as text) is null or calls.key_hash = ${keyHash})
        and (cast(${creatorUserId} as text) is null or api_keys.creator_user_id = ${creatorUserId})
        and (cast(${workspaceId} as text) is null or calls.workspace_id = ${workspaceId})
      group by 1, 2, 3, 4, 5
      order by 1 desc, 2, 4`);
    return rows.map((row) => ({
      day: Number(row.day),
      model: row.model,
      provider: row.provider,
      endpointTag: row.endpoint_tag,
      ...(byWorkspace ? { workspaceId: row.workspace } : {}),
      requests: Number(row.requests),
      inputTokens: Number(row.input_tokens),
      cachedTokens: Number(row.cached_tokens),
      outputTokens: Number(row.output_tokens),
      reasoningTokens: Number(row.reasoning_tokens),
      cost: nanoFromInteger(row.cost),
      byokCost: nanoFromInteger(row.byok_cost),
    }));
  }
}

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
