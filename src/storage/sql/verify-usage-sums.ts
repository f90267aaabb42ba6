import { nanoFromInteger } from '../../core/money.ts';
import type { LedgerDifference } from '../../ports/ledger.ts';
import { dayLength } from '../../util/utc-windows.ts';
import { isLapsed } from './charge-columns.ts';
import type { SqlConnection } from './database.ts';
import type { Days } from './days.ts';
import { rawSql, sql } from './statement.ts';
import { spanLength, spans } from './usage-sums.ts';

interface Row {
  readonly account_id: string;
  readonly start: bigint;
  readonly key_hash: string;
  readonly model: string;
  readonly kept_cost: bigint | null;
  readonly cost: bigint | null;
}

const kinds = 'account_id, start, key_hash, workspace_id, model, provider, endpoint_tag';
const sums = [
  'requests',
  'own',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cost',
  'list_cost',
  'byok_cost',
];
const differs = sums.map((name) => `kept.${name} is distinct from calls.${name}`).join(' or ');
const sum = (value: string, name: string) => `cast(coalesce(sum(${value}), 0) as bigint) as ${name}`;

/**
 * Recomputes from calls the sums that the dashboard reads and names each difference. What a call's details alone say, such
 * as its error, is not compared: engines read it in ways of their own.
 * @param days Those whose calls are all there, and how many at once.
 */
export async function verifyUsageSums(
  snapshot: SqlConnection,
  { first = 0, end }: Days,
): Promise<readonly LedgerDifference[]> {
  if (end !== undefined && first >= end) return [];
  const differences: LedgerDifference[] = [];
  for (const span of spans) {
    const perDay = dayLength / spanLength(span);
    const rows = await snapshot.rows<Row>(sql`
      with calls as (
        select account_id, ${rawSql(`settled_at / ${spanLength(span)}`)} as start, key_hash,
          coalesce(workspace_id, '') as workspace_id, coalesce(model, requested_model) as model,
          coalesce(provider, '') as provider, coalesce(endpoint_tag, '') as endpoint_tag, count(*) as requests,
          ${rawSql(
            [
              sum('is_byok', 'own'),
              ...sums.slice(2, -1).map((name) => sum(name, name)),
              sum('case when is_byok = 1 then list_cost else 0 end', 'byok_cost'),
            ].join(', '),
          )}
        from generations
        where settled_at >= ${first * dayLength}
          ${end === undefined ? sql`` : sql`and settled_at < ${end * dayLength}`} and not ${rawSql(isLapsed())}
        group by 1, 2, 3, 4, 5, 6, 7
      ), kept as (
        select ${rawSql(kinds)}, ${rawSql(sums.map((name) => sum(name, name)).join(', '))} from usage_sums
        where span = ${span} and start >= ${first * perDay}
          ${end === undefined ? sql`` : sql`and start < ${end * perDay}`}
        group by ${rawSql(kinds)}
      )
      select account_id, start, key_hash, model, kept.cost as kept_cost, calls.cost
      from kept full join calls using (${rawSql(kinds)})
      where ${rawSql(differs)} order by ${rawSql(kinds)}`);
    differences.push(...rows.map((row) => toDifference(row, span)));
  }
  return differences;
}

function toDifference(row: Row, span: number): LedgerDifference {
  const from = new Date(Number(row.start) * spanLength(span)).toISOString().slice(0, 16);
  return {
    subject: `account ${row.account_id}: shown for ${span === 1440 ? 'the day' : 'the quarter hour'} from ${from}Z of key ${row.key_hash}, ${row.model}`,
    kept: nanoFromInteger(row.kept_cost ?? 0n),
    recomputed: nanoFromInteger(row.cost ?? 0n),
  };
}
