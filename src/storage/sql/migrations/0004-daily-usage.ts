import type { SchemaDialect } from '../schema-dialect.ts';

/** Sums of calls by day, in engines that are meant for more calls than a report can read one by one. */
export function dailyUsage({ integer, text, keepsDailyUsage }: SchemaDialect): readonly string[] {
  if (!keepsDailyUsage) return [];
  return [
    // Text that is not known is empty. requested_model is kept where no model was reached.
    `create table daily_usage (
      account_id ${text} not null,
      day ${integer} not null,
      key_hash ${text} not null,
      workspace_id ${text} not null,
      model ${text} not null,
      requested_model ${text} not null,
      provider ${text} not null,
      endpoint_tag ${text} not null,
      requests ${integer} not null,
      input_tokens ${integer} not null,
      cached_tokens ${integer} not null,
      output_tokens ${integer} not null,
      reasoning_tokens ${integer} not null,
      cost ${integer} not null,
      byok_cost ${integer} not null,
      primary key (account_id, day, key_hash, workspace_id, model, requested_model, provider, endpoint_tag)
    )`,
    `insert into daily_usage
      select account_id, settled_at / 86400000, key_hash, coalesce(workspace_id, ''), coalesce(model, ''),
        case when model is null then requested_model else '' end, coalesce(provider, ''), coalesce(endpoint_tag, ''),
        count(*), cast(coalesce(sum(input_tokens), 0) as bigint), cast(coalesce(sum(cached_tokens), 0) as bigint),
        cast(coalesce(sum(output_tokens), 0) as bigint), cast(coalesce(sum(reasoning_tokens), 0) as bigint),
        cast(sum(cost) as bigint), cast(sum(case when is_byok = 1 then list_cost else 0 end) as bigint)
      from generations where not details like '{"lapsed":true%' group by 1, 2, 3, 4, 5, 6, 7, 8`,
    // Slot 1: the first day whose calls are all still there one by one; 2: the day before which none is. No row: all are.
    `create table kept_calls (
      slot ${integer} primary key not null,
      first_day ${integer} not null
    )`,
    // They cost a write next to nothing, and find what lies between two moments by its place in the file.
    'create index generations_by_time on generations using brin (settled_at) with (autosummarize = on)',
    'create index daily_usage_by_day on daily_usage using brin (day) with (autosummarize = on)',
    // Room beside counters, so that writing them anew touches no index.
    ...['account_totals', 'key_totals', 'key_spend', 'byok_months', 'daily_usage'].map(
      (table) => `alter table ${table} set (fillfactor = 70)`,
    ),
  ];
}
