import type { SchemaDialect } from '../schema-dialect.ts';

/**
 * Sums of calls by quarter of an hour and by UTC day (`span`, in minutes; `start` counts them from 1970), which the
 * dashboard reads. The sums of the calls there are: see `addToSums`, which this repeats as it was.
 */
export function usageSums({ integer, text, tableEnd }: SchemaDialect): readonly string[] {
  const isPostgres = integer === 'bigint';
  // As text, because the JSON types of PostgreSQL refuse characters that texts of clients may hold.
  const errorType = isPostgres
    ? `substring(details from '"errorType":"([^"]*)"')`
    : "details ->> 'errorType'";
  const sum = (value: string) => `cast(coalesce(sum(${value}), 0) as bigint)`;
  const count = (condition: string) => sum(`case when ${condition} then 1 else 0 end`);
  const has = (member: string) => count(`details like '%"${member}":%'`);
  return [
    `create table usage_sums (
      account_id ${text} not null, span ${integer} not null, start ${integer} not null,
      key_hash ${text} not null, workspace_id ${text} not null, model ${text} not null, provider ${text} not null,
      endpoint_tag ${text} not null, error_type ${text} not null,
      requests ${integer} not null, failed ${integer} not null, cancelled ${integer} not null,
      fallbacks ${integer} not null, streamed ${integer} not null, own ${integer} not null,
      unpriced ${integer} not null, estimated ${integer} not null,
      input_tokens ${integer} not null, cached_tokens ${integer} not null, output_tokens ${integer} not null,
      reasoning_tokens ${integer} not null, cost ${integer} not null, list_cost ${integer} not null,
      byok_cost ${integer} not null,
      primary key (account_id, span, start, key_hash, workspace_id, model, provider, endpoint_tag, error_type)
    ) ${tableEnd === '' ? 'with (fillfactor = 70)' : `${tableEnd}, without rowid`}`,
    `insert into usage_sums
      select account_id, span, settled_at / length, key_hash, coalesce(workspace_id, ''),
        coalesce(model, requested_model), coalesce(provider, ''), coalesce(endpoint_tag, ''),
        coalesce(${errorType}, ''), count(*), ${has('errorType')}, ${has('cancelled')},
        ${count(`details like '%"tag":"%"tag":"%'`)}, ${has('streamed')}, ${count('is_byok = 1')}, ${has('unpriced')},
        ${has('usageEstimated')}, ${sum('input_tokens')}, ${sum('cached_tokens')}, ${sum('output_tokens')},
        ${sum('reasoning_tokens')}, ${sum('cost')}, ${sum('list_cost')},
        ${sum('case when is_byok = 1 then list_cost else 0 end')}
      from generations
        cross join (select 15 as span, 900000 as length union all select 1440, 86400000) as spans
      where not details like '{"lapsed":true%'
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9`,
  ];
}
