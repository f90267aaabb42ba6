import { nanoFromInteger } from '../../core/money.ts';
import type { CellStep, UsageCell, UsageRange } from '../../ports/usage.ts';
import { rawSql, type SqlStatement, sql } from './statement.ts';
import { rangesOfSpans, within } from './usage-conditions.ts';
import { spanLength, spans } from './usage-sums.ts';

const kinds = 'model, provider, endpoint_tag, error_type';

/** Counts of calls: no sum of them is too large. */
const small = [
  'requests',
  'failed',
  'cancelled',
  'fallbacks',
  'streamed',
  'own',
  'unpriced',
  'estimated',
] as const;

/**
 * What providers report. Each account's sums fit into 64 bits, the sum of all accounts may not: the upper and the lower
 * half are added up apart, so that no account can make the sum of all fail.
 */
const large = [
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'reasoning_tokens',
  'cost',
  'list_cost',
  'byok_cost',
] as const;

const halves = 32;

const columns = rawSql(
  [
    ...small.map((name) => `cast(sum(${name}) as bigint) as ${name}`),
    ...large.flatMap((name) => [
      `cast(sum(${name} >> ${halves}) as bigint) as ${name}_upper`,
      `cast(sum(${name} & ${2 ** halves - 1}) as bigint) as ${name}_lower`,
    ]),
  ].join(', '),
);

/** Cells as the database answers them. */
export type CellRow = Readonly<Record<(typeof small)[number], bigint>> &
  Readonly<Record<`${(typeof large)[number]}_${'upper' | 'lower'}`, bigint>> & {
    readonly step: bigint;
    readonly model: string;
    readonly provider: string;
    readonly endpoint_tag: string;
    readonly error_type: string;
  };

/**
 * Adds up the sums of every account in a range: days in the middle, quarters of an hour at its ends, or quarters alone
 * where steps are shorter than a day. The account is first in the key of the sums, so each account is searched for.
 */
export function cellsStatement(range: UsageRange, step: CellStep, limit: number): SqlStatement {
  const isShort = step === 15 || step === 60;
  const parts = isShort ? [{ span: spans[0], ...range }] : rangesOfSpans(range);
  const selects = parts.map(({ span, ...part }) => {
    const number = step === 'all' ? '0' : `start / ${step / span}`;
    return sql`select ${rawSql(number)} as step, ${rawSql(kinds)}, ${columns} from accounts_of_sums
      cross join usage_sums where usage_sums.account_id = accounts_of_sums.id and ${within(span, part)}
      group by 1, ${rawSql(kinds)}`;
  });
  return sql`with recursive accounts_of_sums(id) as (
      select min(account_id) from usage_sums
      union all select (select min(account_id) from usage_sums where account_id > accounts_of_sums.id)
      from accounts_of_sums where accounts_of_sums.id is not null)
    select * from (${selects.reduce((one, other) => sql`${one} union all ${other}`)}) as cells limit ${limit}`;
}

/** The cell that a row holds. */
export function cellOf(row: CellRow, range: UsageRange, step: CellStep): UsageCell {
  const whole = (name: (typeof large)[number]) =>
    (row[`${name}_upper`] << BigInt(halves)) + row[`${name}_lower`];
  const start = step === 'all' ? range.from : Number(row.step) * spanLength(step);
  return {
    start: Math.max(start, range.from),
    model: row.model,
    provider: row.provider,
    endpoint: row.endpoint_tag,
    errorType: row.error_type,
    requests: Number(row.requests),
    failed: Number(row.failed),
    cancelled: Number(row.cancelled),
    fallbacks: Number(row.fallbacks),
    streamed: Number(row.streamed),
    own: Number(row.own),
    unpriced: Number(row.unpriced),
    estimated: Number(row.estimated),
    inputTokens: Number(whole('input_tokens')),
    cachedTokens: Number(whole('cached_tokens')),
    outputTokens: Number(whole('output_tokens')),
    reasoningTokens: Number(whole('reasoning_tokens')),
    cost: nanoFromInteger(whole('cost')),
    listCost: nanoFromInteger(whole('list_cost')),
    byokCost: nanoFromInteger(whole('byok_cost')),
  };
}
