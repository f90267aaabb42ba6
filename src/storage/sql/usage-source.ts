import { dayLength } from '../../util/utc-windows.ts';
import { isLapsed } from './charge-columns.ts';
import { rawSql, type SqlStatement, sql } from './statement.ts';

/** Which calls to report: those settled since a moment (Unix milliseconds) and, if that is given, before a UTC day. */
export interface UsageRange {
  readonly since: number;
  readonly endDay?: number;
}

/**
 * A table of calls as reports sum them, named `calls` by its readers: account_id, day, key_hash, workspace_id,
 * requested_model, model, provider, endpoint_tag, requests, input_tokens, cached_tokens, output_tokens,
 * reasoning_tokens, cost and byok_cost, the list cost of what own credentials served.
 */
export type UsageSource = (range: UsageRange) => SqlStatement;

const day = rawSql(`settled_at / ${dayLength}`);

/** One row a call. */
export const eachCall: UsageSource = (range) => callsWhere(range, sql``);

/**
 * One row a day, key and endpoint, from `daily_usage`, so that reports cost the same however many calls there were; only
 * a day that does not count as a whole is read call by call. Sums hold no lapsed call as long as its record is there, for
 * its true charge may name another day and endpoint: these few are read one by one.
 */
export const dailySums: UsageSource = ({ since, endDay }) => {
  const firstDay = Math.ceil(since / dayLength);
  const firstWhole = firstDay * dayLength;
  const end = endDay === undefined ? sql`` : sql`and day < ${endDay}`;
  const lapsedCalls = callsWhere({ since: firstWhole, endDay }, rawSql(`and ${isLapsed()}`));
  const whole = sql`
    select account_id, day, key_hash, nullif(workspace_id, '') as workspace_id, requested_model,
      nullif(model, '') as model, nullif(provider, '') as provider, nullif(endpoint_tag, '') as endpoint_tag,
      requests, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost, byok_cost
    from daily_usage where day >= ${firstDay} ${end}
    union all ${lapsedCalls}`;
  if (since === firstWhole) return whole;
  return sql`${whole} union all ${eachCall({ since, endDay: Math.min(firstDay, endDay ?? firstDay) })}`;
};

function callsWhere({ since, endDay }: UsageRange, condition: SqlStatement): SqlStatement {
  const end = endDay === undefined ? sql`` : sql`and settled_at < ${endDay * dayLength}`;
  return sql`
    select account_id, ${day} as day, key_hash, workspace_id, requested_model, model, provider, endpoint_tag,
      1 as requests, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost,
      case when is_byok = 1 then list_cost else 0 end as byok_cost
    from generations where settled_at >= ${Math.ceil(since)} ${end} ${condition}`;
}
