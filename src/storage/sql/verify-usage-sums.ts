import { nanoFromInteger } from '../../core/money.ts';
import type { LedgerDifference } from '../../ports/ledger.ts';
import { dayLength } from '../../util/utc-windows.ts';
import { isLapsed } from './charge-columns.ts';
import type { SqlConnection } from './database.ts';
import { rawSql, type SqlStatement, sql } from './statement.ts';
import { spanLength, spans } from './usage-sums.ts';
import type { Days } from './values.ts';

interface Row {
  readonly account_id: string;
  readonly start: bigint;
  readonly key_hash: string;
  readonly model: string;
  readonly kept_cost: bigint;
  readonly made_cost: bigint;
}

const kinds = 'account_id, start, key_hash, workspace_id, model, provider, endpoint_tag';
/** What a call adds to the sums of the same name. */
const added = {
  requests: '1',
  own: 'is_byok',
  input_tokens: 'coalesce(input_tokens, 0)',
  cached_tokens: 'coalesce(cached_tokens, 0)',
  output_tokens: 'coalesce(output_tokens, 0)',
  reasoning_tokens: 'coalesce(reasoning_tokens, 0)',
  cost: 'cost',
  list_cost: 'list_cost',
  byok_cost: 'case when is_byok = 1 then list_cost else 0 end',
};
const names = Object.keys(added);
const ofCalls = Object.entries(added).map(([name, value]) => `${value} as ${name}`);
const total = (name: string) => `cast(sum(${name}) as bigint) as ${name}`;

/**
 * Recomputes from calls the sums that the dashboard reads and names each difference. What a call's details alone say, such
 * as its error, is not compared: engines read it in ways of their own.
 * @param days Those whose calls are all there, and how many at once.
 * @param folded A condition on calls that are in the sums.
 */
export async function verifyUsageSums(
  snapshot: SqlConnection,
  { first = 0, end }: Days,
  folded: SqlStatement,
): Promise<readonly LedgerDifference[]> {
  if (end !== undefined && first >= end) return [];
  const differences: LedgerDifference[] = [];
  for (const span of spans) {
    const perDay = dayLength / spanLength(span);
    // Calls add and sums take away, so that one sort finds what is left over: SQLite joins both sides row by row.
    const rows = await snapshot.rows<Row>(sql`
      select account_id, start, key_hash, model, ${rawSql(`${total('kept_cost')}, ${total('made_cost')}`)}
      from (
        select account_id, ${rawSql(`settled_at / ${spanLength(span)}`)} as start, key_hash,
          coalesce(workspace_id, '') as workspace_id, coalesce(model, requested_model) as model,
          coalesce(provider, '') as provider, coalesce(endpoint_tag, '') as endpoint_tag,
          ${rawSql(ofCalls.join(', '))}, 0 as kept_cost, cost as made_cost
        from generations
        where settled_at >= ${first * dayLength}
          ${end === undefined ? sql`` : sql`and settled_at < ${end * dayLength}`} and not ${rawSql(isLapsed())}
          and ${folded}
        union all
        select ${rawSql(kinds)}, ${rawSql(names.map((name) => `-${name}`).join(', '))}, cost, 0 from usage_sums
        where span = ${span} and start >= ${first * perDay}
          ${end === undefined ? sql`` : sql`and start < ${end * perDay}`}
      ) as both_sides
      group by ${rawSql(kinds)} having ${rawSql(names.map((name) => `sum(${name}) <> 0`).join(' or '))}
      order by ${rawSql(kinds)}`);
    differences.push(...rows.map((row) => toDifference(row, span)));
  }
  return differences;
}

function toDifference(row: Row, span: number): LedgerDifference {
  const from = new Date(Number(row.start) * spanLength(span)).toISOString().slice(0, 16);
  return {
    subject: `account ${row.account_id}: shown for ${span === 1440 ? 'the day' : 'the quarter hour'} from ${from}Z of key ${row.key_hash}, ${row.model}`,
    kept: nanoFromInteger(row.kept_cost),
    recomputed: nanoFromInteger(row.made_cost),
  };
}
