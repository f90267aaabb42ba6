import { addToSums } from '../../src/storage/sql/usage-sums.ts';
import { dayLength } from '../../src/util/utc-windows.ts';

/** Keys of the database; low numbers make most of the calls. */
export const keyCount = 4000;
export const accountCount = 400;
/** Models, each at one endpoint. */
const endpointCount = 48;
/** Endpoints that one key uses. */
const endpointsOfKey = 5;

/** UTC days since 1970, the last one not included. */
export interface Days {
  readonly first: number;
  readonly end: number;
}

/** Endpoints and prices in nano-USD a token; keys are copied from `api_keys` in the order they were made. */
export const sourceTables = [
  'create schema load',
  'create table load.calls (like generations)',
  'create table load.usage (like daily_usage)',
  `create table load.endpoints as
    select number, case number % 4 when 0 then 'acme' when 1 then 'orion' when 2 then 'borealis' else 'zenith' end
        || '/model-' || number || case when number % 16 = 15 then ':free' else '' end as model,
      'provider-' || number % 12 as provider, 'provider-' || number % 12 || case when number % 3 = 0 then '/fp8' else '' end as tag,
      case when number % 16 = 15 then 0 else 50 + 61 * number end as input_price,
      case when number % 16 = 15 then 0 else 200 + 307 * number end as output_price,
      number % 2 as caches, number % 3 as reasons
    from generate_series(0, ${endpointCount - 1}) as number`,
  `create table load.keys as
    select row_number() over (order by created_at, hash) - 1 as number, account_id, hash, workspace_id,
      ((row_number() over (order by created_at, hash) * 7) % ${endpointCount})::int as first_endpoint,
      case when row_number() over (order by created_at, hash) % 40 = 0 then 1 else 0 end as is_byok
    from api_keys`,
  'alter table load.keys add primary key (number)',
  'alter table load.endpoints add primary key (number)',
  'analyze load.keys',
  'analyze load.endpoints',
];

/** The members of a record besides its columns, as SQL text. */
const details = {
  short: `'{"latency":' || latency || ',"usage":{"uncachedInput":' || input - cached || ',"cacheRead":' || cached
    || ',"output":' || output || '},"attempts":[]}'`,
  full: `'{"requestId":"req-' || left(md5(i::text), 22) || '","upstreamId":"chatcmpl-' || left(md5((-i)::text), 24)
    || '","userAgent":"node","streamed":true,"finishReason":"stop","nativeFinishReason":"stop","latency":' || latency
    || ',"generationTime":' || latency * 7 || ',"usage":{"uncachedInput":' || input - cached || ',"cacheRead":' || cached
    || ',"output":' || output || ',"reasoning":' || reasoning || '},"attempts":[{"provider":"' || provider || '","model":"' || model
    || '","tag":"' || tag || '","status":200,"latency":' || latency || ',"upstreamId":"chatcmpl-'
    || left(md5((-i)::text), 24) || '"}]}'`,
};

/**
 * Inserts calls into `load.calls`, the same number for each day and in about the order of their settlement. One call
 * in a hundred reached no provider; one key in forty has credentials of its own.
 */
export function drawCalls({ first, end }: Days, callsOfDay: number, kind: 'full' | 'short'): string {
  const count = (end - first) * callsOfDay;
  return `
insert into load.calls (id, account_id, key_hash, workspace_id, created_at, settled_at, requested_model, model, provider,
  endpoint_tag, is_byok, input_tokens, output_tokens, reasoning_tokens, cached_tokens, cost, list_cost, details)
select 'gen-' || (settled_at - latency) / 1000 || '-' || left(md5(i::text), 22), account_id, hash, workspace_id,
  settled_at - latency, settled_at, model, case when not failed then model end, case when not failed then provider end,
  case when not failed then tag end, is_byok, case when not failed then input end, case when not failed then output end,
  case when not failed then reasoning end, case when not failed then cached end,
  case when failed or is_byok = 1 then 0 else input * input_price + output * output_price end,
  case when failed then 0 else input * input_price + output * output_price end,
  case when failed then '{"errorType":"provider_unavailable","usage":{},"attempts":[]}' else ${details[kind]} end
from (
  select i, account_id, hash, workspace_id, is_byok, model, provider, tag, input_price, output_price,
    a * 100 - floor(a * 100) < 0.01 as failed,
    200 + floor(6000 * c * c * c)::bigint as input, floor((200 + 6000 * c * c * c) * caches * d)::bigint as cached,
    20 + floor(900 * d * d)::bigint as output, floor((20 + 900 * d * d) * 0.3 * (reasons / 2))::bigint as reasoning,
    150 + floor(4000 * c * d)::bigint as latency,
    ${first * dayLength} + least(${(end - first) * dayLength - 1}, floor((i + 6 * b) * ${((end - first) * dayLength) / count}))::bigint as settled_at
  from (select i, random() as a, random() as b, random() as c, random() as d
      from generate_series(0::bigint, ${count - 1}::bigint) as i offset 0) as drawn
    join load.keys on keys.number = floor(${keyCount} * a * a * a)::int
    join load.endpoints
      on endpoints.number = (first_endpoint + floor(${endpointsOfKey} * b * b)::int) % ${endpointCount}
  offset 0
) as chosen`;
}

/**
 * Sums of `load.calls` between two moments by day, shifted by `shift` days. Days are inserted in order, as in real
 * use.
 */
export function sumCalls(table: string, from: number, end: number, shift = 0): string {
  return `
insert into ${table} (account_id, day, key_hash, workspace_id, model, requested_model, provider, endpoint_tag, requests,
  input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost, byok_cost)
select account_id, settled_at / ${dayLength} + ${shift} as day, key_hash, coalesce(workspace_id, ''), coalesce(model, ''),
  case when model is null then requested_model else '' end, coalesce(provider, ''), coalesce(endpoint_tag, ''), count(*),
  coalesce(sum(input_tokens), 0), coalesce(sum(cached_tokens), 0), coalesce(sum(output_tokens), 0),
  coalesce(sum(reasoning_tokens), 0), sum(cost), sum(case when is_byok = 1 then list_cost else 0 end)
from load.calls where settled_at >= ${from} and settled_at < ${end}
group by 2, account_id, key_hash, workspace_id, model, 6, provider, endpoint_tag
order by 2`;
}

/**
 * Repeats the calls of `load.calls` and their sums, shifted by `shift` days and with new ids; none from `now` on.
 */
export function repeatCalls(shift: number, now: number): readonly string[] {
  const later = shift * dayLength;
  return [
    `insert into generations (id, account_id, key_hash, workspace_id, created_at, settled_at, requested_model, model,
      provider, endpoint_tag, is_byok, input_tokens, output_tokens, reasoning_tokens, cached_tokens, cost, list_cost, details)
    select 'gen-' || (created_at + ${later}) / 1000 || substr(id, 15), account_id, key_hash, workspace_id,
      created_at + ${later}, settled_at + ${later}, requested_model, model, provider, endpoint_tag, is_byok,
      input_tokens, output_tokens, reasoning_tokens, cached_tokens, cost, list_cost, details
    from load.calls where settled_at < ${now - later}`,
    `insert into daily_usage (account_id, day, key_hash, workspace_id, model, requested_model, provider, endpoint_tag,
      requests, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost, byok_cost)
    select account_id, day + ${shift}, key_hash, workspace_id, model, requested_model, provider, endpoint_tag,
      requests, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost, byok_cost
    from load.usage where day < ${Math.floor(now / dayLength) - shift} order by day`,
  ];
}

const date = "date '1970-01-01' + day::int";

/** Fills the counters from the sums by day, and the sums that charts read from the calls. */
export const counterStatements = [
  'insert into key_spend (key_hash, day, charge, byok) select key_hash, day, sum(cost), sum(byok_cost) from daily_usage group by 1, 2',
  'insert into key_totals (key_hash, charge, byok) select key_hash, sum(charge), sum(byok) from key_spend group by 1',
  `insert into account_totals (account_id, charges_total) select account_id, sum(cost) from daily_usage group by 1
    on conflict (account_id) do update set charges_total = excluded.charges_total`,
  `insert into byok_months (account_id, month, list_cost)
    select account_id, extract(year from ${date}) * 12 + extract(month from ${date}) - 1, sum(byok_cost)
    from daily_usage group by 1, 2 having sum(byok_cost) <> 0`,
  addToSums('from generations'),
];
