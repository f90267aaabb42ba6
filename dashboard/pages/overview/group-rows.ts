import type { Dimension, Series } from '../../state/usage.ts';
import { decimalUsd } from '../../text/format.ts';

/** What each group used in all, a row each: exact amounts in USD, those that cost most first. */
export function groupRows(
  dimension: Dimension,
  { from, to, groups, others }: Pick<Series, 'from' | 'to' | 'groups' | 'others'>,
): readonly (readonly (string | number)[])[] {
  const head = [
    dimension,
    `${dimension} id`,
    'from',
    'to',
    'spend usd',
    'own credentials usd',
    'requests',
    'failed',
    'input tokens',
    'cached input tokens',
    'output tokens',
    'reasoning tokens',
  ];
  const rows = groups.map(({ value, label, totals }) => [
    value === null ? `${others} others` : label,
    value ?? '',
    from,
    to,
    decimalUsd(totals.cost_nano),
    decimalUsd(totals.byok_cost_nano),
    totals.requests,
    totals.failed,
    totals.input_tokens,
    totals.cached_tokens,
    totals.output_tokens,
    totals.reasoning_tokens,
  ]);
  return [head, ...rows];
}
