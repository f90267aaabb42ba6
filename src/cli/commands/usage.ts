import { type Command, Option } from 'commander';
import type { Config } from '../../config/config.ts';
import { formatUsd, type NanoUsd, sumUsd, usdToNumber, zeroUsd } from '../../core/money.ts';
import { operator } from '../../management/actor.ts';
import {
  type CachedHitsReport,
  reportUsage,
  type UsageRange,
  usageGroups,
} from '../../management/reports/reports.ts';
import { type RouterReport, reportRouters } from '../../management/routers/router-report.ts';
import type { HitSums } from '../../ports/cached-hits.ts';
import type { UsageGrouping, UsageRow } from '../../ports/generations.ts';
import { csvRow, csvStart } from '../../util/csv.ts';
import { isoTime } from '../../util/iso-time.ts';
import { dayLength, utcDay } from '../../util/utc-windows.ts';
import type { CommandContext, CommandServices } from '../context.ts';
import { type Column, formatTable, visible } from '../format-table.ts';
import { parseCount, parseDay, parseText } from '../option-values.ts';

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

interface UsageOptions {
  readonly days?: number;
  readonly from?: number;
  readonly to?: number;
  readonly by: UsageGrouping | 'router';
  readonly account?: string;
  readonly format?: 'table' | 'csv' | 'json';
}

const usualDays = 30;

/** `usage`: requests, tokens and cost of some UTC days. */
export function addUsageCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('usage')
    .description('what was used and what it cost')
    .option('--days <n>', `UTC days back, today included (default: ${usualDays})`, parseCount)
    .option('--from <date>', 'instead: the first UTC day, such as 2026-11-01', parseDay)
    .option('--to <date>', 'the last UTC day (default: today)', parseDay)
    .addOption(
      new Option('--by <group>', 'what to group by').choices([...usageGroups, 'router']).default('model'),
    )
    .addOption(new Option('--format <form>', 'form of the answer').choices(['table', 'csv', 'json']))
    .option('--account <id>', 'of this account alone', parseText);
  command.action((options: UsageOptions) => {
    const wrong = wrongUsage(options);
    if (wrong !== undefined) command.error(`error: ${wrong}`);
    return context.withStorage((services, config) => answerUsage(options, services, config, context));
  });
}

/** Why options do not go together. */
function wrongUsage({ days, from, to, by, format }: UsageOptions): string | undefined {
  const hasRange = from !== undefined || to !== undefined;
  if (hasRange && days !== undefined)
    return '--days is days back from today: leave it out beside --from and --to';
  if (to !== undefined && from === undefined) return '--to needs --from';
  if (from !== undefined && to !== undefined && to < from) return '--to is a day before --from';
  if (by === 'router' && (hasRange || format === 'csv'))
    return 'for routers there are only --days, and no csv';
  return undefined;
}

async function answerUsage(
  { days = usualDays, from, to, by, account, format }: UsageOptions,
  services: CommandServices,
  { catalogue }: Config,
  context: CommandContext,
): Promise<void> {
  const { stdout } = context.environment;
  const answer = (shown: unknown, table: string) =>
    format === 'json' ? stdout(`${JSON.stringify(shown, undefined, 2)}\n`) : context.answer(shown, table);
  if (by === 'router') {
    const routed = await reportRouters(operator, { days, accountId: account }, services, catalogue);
    answer(showRouters(routed), routerTable(routed));
    return;
  }
  const range: UsageRange = from === undefined ? { days } : { from, to: to ?? utcDay(services.clock.now()) };
  const report = await reportUsage(operator, { range, by, accountId: account }, services, catalogue);
  if (format === 'csv') {
    stdout(usageFile(by, report.rows));
    return;
  }
  const { since, rows, unpricedModels, cachedHits } = report;
  const shown = {
    since: isoTime(since),
    ...(range.to !== undefined && { until: isoTime((range.to + 1) * dayLength) }),
    by,
    rows: rows.map(showRow),
    unpriced_models: unpricedModels,
    cached_answers: showHits(cachedHits),
  };
  const table = rows.length === 0 ? 'Nothing was used.\n' : usageTable(by, rows) + noteOf(unpricedModels);
  answer(shown, table + hitsTable(by, cachedHits));
}

/** Rows of comma-separated values under their names, money as exact decimals of USD. */
function usageFile(by: string, rows: readonly UsageRow[]): string {
  const names = [
    by,
    'requests',
    'input_tokens',
    'cached_tokens',
    'output_tokens',
    'reasoning_tokens',
    'cost_usd',
  ];
  const cells = rows.map((row) => [
    row.group,
    row.requests,
    row.inputTokens,
    row.cachedTokens,
    row.outputTokens,
    row.reasoningTokens,
    formatUsd(row.cost),
  ]);
  return csvStart + [names, ...cells].map(csvRow).join('');
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
