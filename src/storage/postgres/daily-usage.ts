import { dayLength } from '../../util/utc-windows.ts';
import { isLapsed } from '../sql/charge-columns.ts';

/** What reports tell calls apart by. */
const reported = [
  'account_id',
  'day',
  'key_hash',
  'workspace_id',
  'model',
  'requested_model',
  'provider',
  'endpoint_tag',
];
const counts = ['input_tokens', 'cached_tokens', 'output_tokens', 'reasoning_tokens'];

/** SQL for the UTC day of a row of `generations`. */
export const dayOfCall = `settled_at / ${dayLength}`;

/** SQL that reads of a row of `generations` what counters grow by, for `addToDailyUsage` among them. */
export const countedColumns = `account_id, key_hash, ${dayOfCall} as day, cost, ${isLapsed()} as lapsed,
      case when is_byok = 1 then list_cost else 0 end as byok, coalesce(workspace_id, '') as workspace_id,
      coalesce(model, '') as model, case when model is null then requested_model else '' end as requested_model,
      coalesce(provider, '') as provider, coalesce(endpoint_tag, '') as endpoint_tag,
      ${counts.join(', ')}`;

/** SQL that adds to a counter; `columns` are those that grow. */
export function growing(table: string, columns: readonly string[]): string {
  return columns.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ');
}

/**
 * SQL that adds calls to the sums by day, in the order of their key, in which everyone locks them.
 * @param calls A `from` and its conditions, of rows with `countedColumns`.
 */
export function addToDailyUsage(calls: string): string {
  return `insert into daily_usage (${reported.join(', ')}, requests, ${counts.join(', ')}, cost, byok_cost)
    select ${reported.join(', ')}, count(*), ${counts.map((name) => `coalesce(sum(${name}), 0)::bigint`).join(', ')},
      sum(cost)::bigint, sum(byok)::bigint
    ${calls}
    group by ${reported.join(', ')} order by ${reported.join(', ')}
    on conflict (${reported.join(', ')})
      do update set ${growing('daily_usage', ['requests', ...counts, 'cost', 'byok_cost'])}`;
}
