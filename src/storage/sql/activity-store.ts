import { nanoFromInteger } from '../../core/money.ts';
import type { ActivityQuery, ActivityRow, ActivityStore } from '../../ports/activity.ts';
import { dayLength } from '../../util/utc-windows.ts';
import type { SqlDatabase } from './database.ts';
import { sql } from './statement.ts';
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
