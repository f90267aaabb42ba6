import { chargeColumns, isLapsed } from '../sql/charge-columns.ts';
import { type SqlStatement, sql } from '../sql/statement.ts';
import { addToSums } from '../sql/usage-sums.ts';
import { keepsQuarters, quarterLength } from '../sql/values.ts';
import { addToDailyUsage, countedColumns, dayOfCall, growing } from './daily-usage.ts';

const textColumns: ReadonlySet<string> = new Set([
  'id',
  'account_id',
  'key_hash',
  'workspace_id',
  'requested_model',
  'model',
  'provider',
  'endpoint_tag',
  'request_id',
]);

/** Everything but the last column, which is the text behind the tab. */
const values = chargeColumns
  .slice(0, -1)
  .map((name, index) => (textColumns.has(name) ? `columns ->> ${index}` : `(columns ->> ${index})::bigint`));

const date = `date '1970-01-01' + (${dayOfCall})::integer`;
const month = `cast(extract(year from ${date}) * 12 + extract(month from ${date}) - 1 as bigint)`;

/** What counters grow by, of the calls that were booked now. */
const counted = `(select ${countedColumns}, ${month} as month, settled_at, settled_at / ${quarterLength} as quarter from unnest(booked) as generations) as call`;

/**
 * Makes the function that books a text of charge lines, each charge once by its id: its record, and every counter that
 * grows by it. A record of a lapsed call gives way to the true one. A call of it is one transaction and one round trip; as a
 * function its plans are kept by the server, which takes longer to plan them than to carry them out.
 *
 * Every call locks in the same order: records by id, then months, accounts, days, quarters, keys and usage, each by its own
 * key; so no two of them can wait for each other.
 */
export const createBookCharges = `create or replace function book_charges(charge_lines text, lock_wait text)
returns void language plpgsql as $function$
declare
  booked generations[];
begin
  perform set_config('lock_timeout', lock_wait, true);
  with given as materialized (
    select split_part(line, e'\\t', 1)::jsonb as columns, split_part(line, e'\\t', 2) as details, place
    from unnest(string_to_array(charge_lines, e'\\n')) with ordinality as lines (line, place)
    where line <> ''
  ), charge as (
    select distinct on ((columns ->> 0) collate "C") columns, details from given
    order by (columns ->> 0) collate "C", ${isLapsed('given')}, place
  ), inserted as (
    insert into generations (${chargeColumns.join(', ')})
    select ${values.join(', ')}, details from charge
    on conflict (id) do update set ${chargeColumns.map((name) => `${name} = excluded.${name}`).join(', ')}
      where ${isLapsed()} and not ${isLapsed('excluded')}
    returning generations as call
  )
  select array_agg(call) into booked from inserted;
  if booked is null then return; end if;

  insert into byok_months (account_id, month, list_cost)
  select account_id, month, sum(byok)::bigint from ${counted} where byok <> 0 group by 1, 2 order by 1, 2
  on conflict (account_id, month) do update set ${growing('byok_months', ['list_cost'])};

  insert into account_totals (account_id, charges_total)
  select account_id, sum(cost)::bigint from ${counted} group by 1 order by 1
  on conflict (account_id) do update set ${growing('account_totals', ['charges_total'])};

  insert into key_spend (key_hash, day, charge, byok)
  select key_hash, day, sum(cost)::bigint, sum(byok)::bigint from ${counted} group by 1, 2 order by 1, 2
  on conflict (key_hash, day) do update set ${growing('key_spend', ['charge', 'byok'])};

  if exists (${keepsQuarters}) then
    insert into key_spend_quarters (key_hash, quarter, charge, byok)
    select key_hash, quarter, sum(cost)::bigint, sum(byok)::bigint from ${counted}
    where cost <> 0 or byok <> 0 group by 1, 2 order by 1, 2
    on conflict (key_hash, quarter) do update set ${growing('key_spend_quarters', ['charge', 'byok'])};
  end if;

  insert into key_totals (key_hash, charge, byok, last_used_at)
  select key_hash, sum(cost)::bigint, sum(byok)::bigint, max(settled_at) from ${counted} group by 1 order by 1
  on conflict (key_hash) do update set ${growing('key_totals', ['charge', 'byok'])},
    last_used_at = greatest(key_totals.last_used_at, excluded.last_used_at);

  ${addToDailyUsage(`from ${counted} where not lapsed`)};

  ${addToSums('from unnest(booked) as generations')};
end
$function$`;

/**
 * Books a text of charge lines.
 * @param lockTimeout Milliseconds to wait for a lock; it holds for this transaction alone.
 */
export function bookCharges(lines: string, lockTimeout: number): SqlStatement {
  return sql`select book_charges(${lines}, ${String(lockTimeout)})`;
}
