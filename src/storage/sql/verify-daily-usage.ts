import { nanoFromInteger } from '../../core/money.ts';
import type { LedgerDifference } from '../../ports/ledger.ts';
import { dayLength, dayName } from '../../util/utc-windows.ts';
import { isLapsed } from './charge-columns.ts';
import type { SqlConnection } from './database.ts';
import { type Days, within } from './days.ts';
import { rawSql, sql } from './statement.ts';

/** Sums of calls of one kind on one day, as kept and as the calls have them; of neither may be nothing. */
interface Row {
  readonly account_id: string;
  readonly day: bigint;
  readonly key_hash: string;
  readonly model: string;
  readonly endpoint_tag: string;
  readonly kept_cost: bigint | null;
  readonly cost: bigint | null;
  readonly kept_byok: bigint | null;
  readonly byok: bigint | null;
}

const kinds = 'account_id, day, key_hash, workspace_id, model, requested_model, provider, endpoint_tag';
const counts = ['requests', 'input_tokens', 'cached_tokens', 'output_tokens', 'reasoning_tokens'];
const sums = [...counts, 'cost', 'byok_cost'];
const differs = sums.map((name) => `kept.${name} is distinct from calls.${name}`).join(' or ');

/**
 * Recomputes from calls what reports say of them, where they read sums by day, and names each difference: in the
 * reported cost and usage of accounts, keys, workspaces, models and endpoints. The database compares, because there may
 * be as many sums as calls.
 * @param days Those whose calls are all there, and how many at once.
 */
export async function verifyDailyUsage(
  snapshot: SqlConnection,
  days: Days,
): Promise<readonly LedgerDifference[]> {
  if (days.first !== undefined && days.end !== undefined && days.first >= days.end) return [];
  const rows = await snapshot.rows<Row>(sql`
    with calls as (
      select account_id, ${rawSql(`settled_at / ${dayLength}`)} as day, key_hash,
        coalesce(workspace_id, '') as workspace_id, coalesce(model, '') as model,
        case when model is null then requested_model else '' end as requested_model,
        coalesce(provider, '') as provider, coalesce(endpoint_tag, '') as endpoint_tag,
        count(*) as requests, ${rawSql(counts.slice(1).map(sumOf).join(', '))}, ${rawSql(sumOf('cost'))},
        cast(sum(case when is_byok = 1 then list_cost else 0 end) as bigint) as byok_cost
      from generations
      where settled_at >= ${(days.first ?? 0) * dayLength}
        ${days.end === undefined ? sql`` : sql`and settled_at < ${days.end * dayLength}`}
        and not ${rawSql(isLapsed())}
      group by 1, 2, 3, 4, 5, 6, 7, 8
    ), kept as (select * from daily_usage where ${within(days)})
    select account_id, day, key_hash, coalesce(nullif(model, ''), requested_model) as model, endpoint_tag,
      kept.cost as kept_cost, calls.cost, kept.byok_cost as kept_byok, calls.byok_cost as byok
    from kept full join calls using (${rawSql(kinds)})
    where ${rawSql(differs)}
    order by ${rawSql(kinds)}`);
  return rows.flatMap(toDifferences);
}

function sumOf(column: string): string {
  return `cast(coalesce(sum(${column}), 0) as bigint) as ${column}`;
}

function toDifferences(row: Row): readonly LedgerDifference[] {
  const { account_id: account, key_hash: key, model, endpoint_tag: tag } = row;
  const what = `reported for ${dayName(Number(row.day))} of key ${key}, ${model} at ${tag || 'nobody'}`;
  const differences = [
    difference(`account ${account}: usage ${what}`, row.kept_cost, row.cost),
    difference(`account ${account}: own-credential usage ${what}`, row.kept_byok, row.byok),
  ].filter(({ kept, recomputed }) => kept !== recomputed);
  if (differences.length > 0) return differences;
  return [difference(`account ${account}: requests or tokens ${what}`, row.kept_cost, row.cost)];
}

function difference(subject: string, kept: bigint | null, recomputed: bigint | null): LedgerDifference {
  return { subject, kept: nanoFromInteger(kept ?? 0n), recomputed: nanoFromInteger(recomputed ?? 0n) };
}
