import { type Command, Option } from 'commander';
import { formatUsd, type NanoUsd, sumUsd, usdToNumber, zeroUsd } from '../../core/money.ts';
import { operator } from '../../management/actor.ts';
import { type CachedHitsReport, reportUsage, usageGroups } from '../../management/reports/reports.ts';
import { type RouterReport, reportRouters } from '../../management/routers/router-report.ts';
import type { HitSums } from '../../ports/cached-hits.ts';
import type { UsageGrouping, UsageRow } from '../../ports/generations.ts';
import { isoTime } from '../../util/iso-time.ts';
import type { CommandContext } from '../context.ts';
import { type Column, formatTable, visible } from '../format-table.ts';
import { parseCount, parseText } from '../option-values.ts';

/** Models that the note under a table names. */
const mostNamed = 5;

const counts: readonly Column[] = [
  { heading: 'REQUESTS', align: 'right' },
  { heading: 'INPUT', align: 'right' },
  { heading: 'CACHED', align: 'right' },
  { heading: 'OUTPUT', align: 'right' },
  { heading: 'REASONING', align: 'right' },
  { heading: 'USD', align: 'right' },
];

/** `usage`: requests, tokens and cost of the last UTC days, today included. */
export function addUsageCommand(program: Command, context: CommandContext): void {
  program
    .command('usage')
    .description('what was used and what it cost')
    .addOption(new Option('--days <n>', 'UTC days back, today included').default(30).argParser(parseCount))
    .addOption(
      new Option('--by <group>', 'what to group by').choices([...usageGroups, 'router']).default('model'),
    )
    .option('--account <id>', 'of this account alone', parseText)
    .action(({ days, by, account }: { days: number; by: UsageGrouping | 'router'; account?: string }) =>
      context.withStorage(async (services, { catalogue }) => {
        if (by === 'router') {
          const routed = await reportRouters(operator, { days, accountId: account }, services, catalogue);
          context.answer(showRouters(routed), routerTable(routed));
          return;
        }
        const report = await reportUsage(operator, { days, by, accountId: account }, services, catalogue);
        const { since, rows, unpricedModels, cachedHits } = report;
        const shown = {
          since: isoTime(since),
          by,
          rows: rows.map(showRow),
          unpriced_models: unpricedModels,
          cached_answers: showHits(cachedHits),
        };
        const table =
          rows.length === 0 ? 'Nothing was used.\n' : usageTable(by, rows) + noteOf(unpricedModels);
        context.answer(shown, table + hitsTable(by, cachedHits));
      }),
    );
}

function noteOf(unpriced: readonly string[]): string {
  if (unpriced.length === 0) return '';
  const shown = unpriced.slice(0, mostNamed).map(visible).join(', ');
  const rest = unpriced.length > mostNamed ? ` and ${unpriced.length - mostNamed} more` : '';
  return `\nNot in USD: endpoints without a price. Give one to those of ${shown}${rest}.\n`;
}

function usageTable(by: string, rows: readonly UsageRow[]): string {
  const total: UsageRow = {
    group: 'Total',
    requests: sum(rows, ({ requests }) => requests),
    inputTokens: sum(rows, ({ inputTokens }) => inputTokens),
    cachedTokens: sum(rows, ({ cachedTokens }) => cachedTokens),
    outputTokens: sum(rows, ({ outputTokens }) => outputTokens),
    reasoningTokens: sum(rows, ({ reasoningTokens }) => reasoningTokens),
    cost: rows.reduce((total, { cost }) => sumUsd(total, cost), zeroUsd),
  };
  const cells = [...rows, total].map((row) => [
    row.group,
    String(row.requests),
    String(row.inputTokens),
    cachedPercent(row),
    String(row.outputTokens),
    String(row.reasoningTokens),
    formatUsd(row.cost),
  ]);
  return formatTable([{ heading: by.toUpperCase() }, ...counts], cells);
}

function showRow(row: UsageRow) {
  return {
    group: row.group,
    requests: row.requests,
    input_tokens: row.inputTokens,
    cached_tokens: row.cachedTokens,
    cached_share: cachedShare(row) ?? null,
    output_tokens: row.outputTokens,
    reasoning_tokens: row.reasoningTokens,
    cost_usd: usdToNumber(row.cost),
  };
}

/**
 * The part of the input that was read from a cache (docs/spec/routing.md#cache-directives); undefined without input.
 */
function cachedShare({ cachedTokens, inputTokens }: UsageRow): number | undefined {
  return inputTokens === 0 ? undefined : cachedTokens / inputTokens;
}

function cachedPercent(row: UsageRow): string {
  const share = cachedShare(row);
  return share === undefined ? '-' : `${(100 * share).toFixed(1)} %`;
}

function sum(rows: readonly UsageRow[], count: (row: UsageRow) => number): number {
  return rows.reduce((total, row) => total + count(row), 0);
}

/** What the cache of answers saved, as JSON. */
function showHits({ total, groups }: CachedHitsReport) {
  return {
    ...showSums(total),
    ...(groups !== undefined && {
      rows: Array.from(groups, ([group, sums]) => ({ group, ...showSums(sums) })),
    }),
  };
}

function showSums({ hits, saved }: HitSums) {
  return { hits, saved_usd: usdToNumber(saved) };
}

/** What the cache of answers saved, as a table behind that of calls; empty without hits. */
function hitsTable(by: string, { total, groups }: CachedHitsReport): string {
  if (total.hits === 0) return '';
  const right = (heading: string) => ({ heading, align: 'right' }) as const;
  const rows = [...(groups ?? []), ['Total', total] as const];
  const cells = rows.map(([group, { hits, saved }]) => [group, String(hits), formatUsd(saved)]);
  const columns = [{ heading: by.toUpperCase() }, right('CACHED ANSWERS'), right('SAVED USD')];
  return `\n${formatTable(columns, cells)}`;
}

/** What routers did, as JSON. */
function showRouters({ since, rows, comparedWith }: RouterReport) {
  return {
    since: isoTime(since),
    by: 'router',
    compared_with: comparedWith ?? null,
    rows: rows.map((row) => ({
      group: row.group,
      requests: row.requests,
      input_tokens: row.inputTokens,
      cached_tokens: row.cachedTokens,
      output_tokens: row.outputTokens,
      reasoning_tokens: row.reasoningTokens,
      cost_usd: usdToNumber(row.cost),
      list_cost_usd: usdToNumber(row.listCost),
      compared_cost_usd: row.comparedCost === undefined ? null : usdToNumber(row.comparedCost),
      saved_usd: row.comparedCost === undefined ? null : signedUsd(row.comparedCost, row.listCost),
    })),
  };
}

/** What routers did, as a table, with a line on what it is compared with. */
function routerTable({ rows, comparedWith }: RouterReport): string {
  if (rows.length === 0) return 'No router was used.\n';
  const right = (heading: string) => ({ heading, align: 'right' }) as const;
  const headings = ['REQUESTS', 'INPUT', 'OUTPUT', 'USD', 'LIST USD', 'COMPARED USD', 'SAVED USD'].map(right);
  const cells = rows.map(({ group, requests, inputTokens, outputTokens, cost, listCost, comparedCost }) => [
    group,
    String(requests),
    String(inputTokens),
    String(outputTokens),
    formatUsd(cost),
    formatUsd(listCost),
    comparedCost === undefined ? '-' : formatUsd(comparedCost),
    comparedCost === undefined ? '-' : String(signedUsd(comparedCost, listCost)),
  ]);
  const note =
    comparedWith === undefined
      ? 'Nothing to compare with: no model with a price was named.'
      : `Compared with ${visible(comparedWith)}, which requests name most, at its list price.`;
  return `${formatTable([{ heading: 'ROUTER' }, ...headings], cells)}\n${note}\n`;
}

/** Negative where the router cost more. */
function signedUsd(compared: NanoUsd, spent: NanoUsd): number {
  return Number(compared - spent) / 1e9;
}
