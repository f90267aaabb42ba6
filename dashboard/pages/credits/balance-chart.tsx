import type { LedgerPage } from '../../../clients/headgate-api.ts';
import { ChartCard } from '../../charts/chart-card.tsx';
import type { PlotData, PlotSeries } from '../../charts/plot-data.ts';
import { zone } from '../../state/preferences.ts';
import { failureOf } from '../../state/query.ts';
import type { TimeRange } from '../../state/range.ts';
import { type Series, useSeries } from '../../state/usage.ts';
import { exactUsd, usd } from '../../text/format.ts';
import { comingDays, fullDay } from '../../text/time.ts';
import { balanceHistory, emptyAt, expectedBalances } from './balance-history.ts';
import { usePace } from './queries.ts';

/** Days before and after today. */
const shownDays = 30;

/** The balance at the end of each of the last 30 days, and of the next ones at the pace of the last week. */
export function BalanceChart({ page }: { readonly page: LedgerPage }) {
  const series = useSeries({ bucket: '1d', workspace: '' }, lastMonth);
  // Accounts that pay otherwise never run out.
  const pace = usePace();
  const perDay = page.account.billing_mode === 'prepaid' ? (pace ?? 0n) : 0n;
  const { balance_nano: balance } = page.balance;
  const empty = emptyAt(BigInt(balance), perDay, Date.now());
  const prospect = empty === undefined ? '' : `; at the pace of 7 days empty on ${fullDay(empty, zone())}`;
  return (
    <ChartCard
      title="Balance, 30 days"
      data={series.data && dataOf(series.data, page, perDay)}
      kind="lines"
      summary={`The balance at the end of each day, now ${usd(balance)}${prospect}.`}
      empty={page.data.length === 0 ? 'No credits were ever booked.' : undefined}
      isStale={series.isStale}
      failure={failureOf(series)}
    />
  );
}

function dataOf(series: Series, { balance, data, next }: LedgerPage, perDay: bigint): PlotData {
  const left = BigInt(balance.balance_nano);
  const history = balanceHistory({
    balance: left,
    starts: series.starts,
    charged: series.total.series.map(({ cost_nano: cost }) => BigInt(cost)),
    moved: data,
    isComplete: next === null,
  });
  const now = Date.parse(series.as_of);
  const midnights = comingDays(now, zone(), shownDays + 1);
  const expected = expectedBalances({ balance: left, perDay, now, midnights });
  const days = midnights.slice(0, expected.length).map((day) => new Date(day).toISOString());
  const known = seriesOf('balance at the end of the day', history);
  // The line goes on from today.
  const ahead = [
    ...history.map((_, index) => (index === history.length - 1 ? left : undefined)),
    ...expected,
  ];
  return {
    starts: [...series.starts, ...days],
    bucket: series.bucket,
    zone: zone(),
    isPartial: series.last_is_partial,
    isLevel: true,
    axis: (value) => usd(BigInt(Math.round(value))),
    series:
      expected.length === 0
        ? [known]
        : [known, { ...seriesOf('at the pace of 7 days', ahead), isExpected: true }],
  };
}

function seriesOf(label: string, balances: readonly (bigint | undefined)[]): PlotSeries {
  return {
    label,
    tone: 1,
    // For drawing only; a debt is drawn as nothing left.
    values: balances.map((nano) => (nano === undefined ? undefined : Math.max(0, Number(nano)))),
    text: (index) => (balances[index] === undefined ? '–' : usd(balances[index])),
    exact: (index) =>
      balances[index] === undefined ? '' : exactUsd(balances[index]).replaceAll(/[$,]/g, ''),
  };
}

function lastMonth(): TimeRange {
  const end = Math.ceil(Date.now() / 60_000) * 60_000;
  return {
    name: '30d',
    label: 'Last 30 days',
    from: new Date(end - shownDays * 86_400_000).toISOString(),
    to: new Date(end).toISOString(),
  };
}
