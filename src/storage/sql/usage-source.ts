import { dayLength } from '../../util/utc-windows.ts';
import { isLapsed } from './charge-columns.ts';
import { rawSql, type SqlStatement, sql } from './statement.ts';
import { spanLength, spans } from './usage-sums.ts';

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

/** Every account that was ever charged has totals: naming them all lets an index by account serve. */
const charged = sql`account_id in (select account_id from account_totals)`;
const quartersOfDay = dayLength / spanLength(spans[0]);

/**
 * One row for each sum that charts read: of days, and of quarters of an hour in a day that does not count as a whole.
 * What is left of a quarter is read call by call, and so are lapsed calls, as in `dailySums`. Where no provider was
 * reached, at no cost, the model is the requested one; fees of tools have a model and no provider.
 */
export const chartSums: UsageSource = ({ since, endDay = Number.MAX_SAFE_INTEGER }) => {
  const firstDay = Math.min(Math.ceil(since / dayLength), endDay);
  const firstQuarter = Math.min(Math.ceil(since / spanLength(spans[0])), firstDay * quartersOfDay);
  const firstWhole = firstQuarter * spanLength(spans[0]);
  const sumsOf = (span: number, start: SqlStatement) => sql`
    select account_id, ${rawSql(span === spans[1] ? 'start' : `start / ${quartersOfDay}`)} as day, key_hash,
      nullif(workspace_id, '') as workspace_id, model as requested_model,
      case when provider = '' and cost = 0 then null else model end as model, nullif(provider, '') as provider,
      nullif(endpoint_tag, '') as endpoint_tag, requests, input_tokens, cached_tokens, output_tokens,
      reasoning_tokens, cost, byok_cost
    from usage_sums where ${charged} and span = ${span} and ${start}`;
  const days = sumsOf(spans[1], sql`start >= ${firstDay} and start < ${endDay}`);
  const lapsed = callsWhere({ since: firstWhole, endDay }, sql`and ${rawSql(isLapsed())} and ${charged}`);
  const whole = sql`${days} union all ${lapsed}`;
  if (since === firstDay * dayLength) return whole;
  const quarters = sumsOf(spans[0], sql`start >= ${firstQuarter} and start < ${firstDay * quartersOfDay}`);
  const rest = callsWhere({ since, endDay }, sql`and settled_at < ${firstWhole} and ${charged}`);
  return sql`${whole} union all ${quarters} union all ${rest}`;
};

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
