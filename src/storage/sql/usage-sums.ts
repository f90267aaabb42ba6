import { isLapsed } from './charge-columns.ts';

/** What the sums tell calls apart by, in the order of their key; text that is not known is empty. */
export const sumKinds = [
  'account_id',
  'span',
  'start',
  'key_hash',
  'workspace_id',
  'model',
  'provider',
  'endpoint_tag',
  'error_type',
] as const;

/** What they count and add up. */
export const sumCounts = [
  'requests',
  'failed',
  'cancelled',
  'fallbacks',
  'streamed',
  'own',
  'unpriced',
  'estimated',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cost',
  'list_cost',
  'byok_cost',
] as const;

/** The two lengths of time that calls are summed by: a quarter of an hour and a UTC day, in minutes. */
export const spans = [15, 1440] as const;

const minute = 60_000;

/** How many milliseconds a span has. */
export function spanLength(span: number): number {
  return span * minute;
}

/**
 * SQL of PostgreSQL that reads of a row of `generations` what sums are made of, as columns named like them. Members of
 * `details` are found as text: its JSON types refuse characters that a client's text may hold, and a charge must be
 * booked all the same. Quotes inside of texts are escaped, so a member's name in quotes is nothing but that.
 */
function summedColumns(): string {
  const has = (member: string) => `case when strpos(details, '"${member}":') > 0 then 1 else 0 end`;
  return `account_id, key_hash, coalesce(workspace_id, '') as workspace_id,
    coalesce(model, requested_model) as model, coalesce(provider, '') as provider,
    coalesce(endpoint_tag, '') as endpoint_tag, coalesce(substring(details from '"errorType":"([^"]*)"'), '') as error_type, settled_at,
    1 as requests, ${has('errorType')} as failed, ${has('cancelled')} as cancelled,
    case when details like '%"tag":"%"tag":"%' then 1 else 0 end as fallbacks, ${has('streamed')} as streamed, is_byok as own,
    ${has('unpriced')} as unpriced, ${has('usageEstimated')} as estimated, coalesce(input_tokens, 0) as input_tokens,
    coalesce(cached_tokens, 0) as cached_tokens, coalesce(output_tokens, 0) as output_tokens,
    coalesce(reasoning_tokens, 0) as reasoning_tokens, cost, list_cost,
    case when is_byok = 1 then list_cost else 0 end as byok_cost`;
}

/**
 * SQL of PostgreSQL that adds calls to the sums of both spans, in the order of their key, in which everyone locks them.
 * @param source Rows of `generations`: a `from` without conditions.
 */
export function addToSums(source: string): string {
  const kinds = sumKinds.join(', ');
  const sums = sumCounts.map((name) => `cast(sum(${name}) as bigint)`).join(', ');
  const both = spans
    .map((span) => `select ${span} as span, ${spanLength(span)} as length`)
    .join(' union all ');
  return `insert into usage_sums (${kinds}, ${sumCounts.join(', ')})
    select account_id, span, settled_at / length as start, key_hash, workspace_id, model, provider, endpoint_tag,
      error_type, ${sums}
    from (select ${summedColumns()} ${source} where not ${isLapsed()}) as counted cross join (${both}) as spans
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9 order by 1, 2, 3, 4, 5, 6, 7, 8, 9
    on conflict (${kinds}) do update set ${sumCounts.map((name) => `${name} = usage_sums.${name} + excluded.${name}`).join(', ')}`;
}
