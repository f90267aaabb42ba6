import type { LedgerPage } from '../../../clients/headgate-api.ts';
import { ChartCard } from '../../charts/chart-card.tsx';
import type { PlotData } from '../../charts/plot-data.ts';
import { zone } from '../../state/preferences.ts';
import type { TimeRange } from '../../state/range.ts';
import { type Series, useSeries } from '../../state/usage.ts';
import { exactUsd, usd } from '../../text/format.ts';
import { balanceHistory } from './balance-history.ts';

/** The balance at the end of each of the last 30 days. */
export function BalanceChart({ page }: { readonly page: LedgerPage }) {
  const series = useSeries({ bucket: '1d', workspace: '' }, lastMonth);
  const { balance_nano: balance } = page.balance;
  return (
    <ChartCard
      title="Balance, 30 days"
      data={series.data && dataOf(series.data, page)}
      kind="lines"
      summary={`The balance at the end of each day, now ${usd(balance)}.`}
      empty={page.data.length === 0 ? 'No credits were ever booked.' : undefined}
      isStale={series.isStale}
    />
  );
}

function dataOf(series: Series, { balance, data, next }: LedgerPage): PlotData {
  const history = balanceHistory({
    balance: BigInt(balance.balance_nano),
    starts: series.starts,
    charged: series.total.series.map(({ cost_nano: cost }) => BigInt(cost)),
    moved: data,
    isComplete: next === null,
  });
  const text = (index: number) => (history[index] === undefined ? '–' : usd(history[index]));
  return {
    starts: series.starts,
    bucket: series.bucket,
    zone: zone(),
    isPartial: series.last_is_partial,
    axis: (value) => usd(BigInt(Math.round(value))),
    series: [
      {
        label: 'balance at the end of the day',
        tone: 1,
        // For drawing only; a debt is drawn as nothing left.
        values: history.map((nano) => (nano === undefined ? undefined : Math.max(0, Number(nano)))),
        text,
        exact: (index) =>
          history[index] === undefined ? '' : exactUsd(history[index]).replaceAll(/[$,]/g, ''),
      },
    ],
  };
}

function lastMonth(): TimeRange {
  const end = Math.ceil(Date.now() / 60_000) * 60_000;
  return {
    name: '30d',
    label: 'Last 30 days',
    from: new Date(end - 30 * 86_400_000).toISOString(),
    to: new Date(end).toISOString(),
  };
}
