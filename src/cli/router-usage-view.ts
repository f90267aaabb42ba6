import { formatUsd, type NanoUsd, usdToNumber } from '../core/money.ts';
import type { RouterReport } from '../operations/reports/router-report.ts';
import { isoTime } from '../util/iso-time.ts';
import { formatTable, visible } from './format-table.ts';

/** What routers did, as JSON. */
export function showRouters({ since, rows, comparedWith }: RouterReport) {
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
export function routerTable({ rows, comparedWith }: RouterReport): string {
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
