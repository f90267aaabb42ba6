import { ChartCard } from '../../charts/chart-card.tsx';
import type { PlotData, PlotSeries } from '../../charts/plot-data.ts';
import type { Series, Sums } from '../../state/usage.ts';
import { percent, share } from '../../text/format.ts';

interface SharesChartProps {
  readonly series: Series | undefined;
  readonly isStale: boolean;
}

/** Which part of the input came from caches of providers, and which part of requests fell back. */
export function SharesChart({ series, isStale }: SharesChartProps) {
  const totals = series?.total.totals;
  return (
    <ChartCard
      title="Read from cache, fell back"
      data={series && dataOf(series)}
      kind="lines"
      summary={
        totals === undefined
          ? 'Shares over time.'
          : `Shares over time: ${share(totals.cached_tokens, totals.input_tokens)} of the input tokens were read from a cache, ${share(totals.fallbacks, totals.requests)} of the requests fell back.`
      }
      empty={totals?.requests === 0 ? 'No requests in this range.' : undefined}
      isStale={isStale}
    />
  );
}

function dataOf(series: Series): PlotData {
  const lineOf = (label: string, tone: number, part: (sums: Sums) => number, all: (sums: Sums) => number) => {
    const values = series.total.series.map((sums) => (all(sums) === 0 ? undefined : part(sums) / all(sums)));
    const line: PlotSeries = {
      label,
      tone,
      values,
      text: (index) => (values[index] === undefined ? '–' : percent(values[index])),
      exact: (index) => String(values[index] ?? ''),
    };
    return line;
  };
  return {
    starts: series.starts,
    bucket: series.bucket,
    zone: series.tz,
    isPartial: series.last_is_partial,
    isLevel: true,
    most: 1,
    axis: percent,
    series: [
      lineOf(
        'cached part of input tokens',
        3,
        ({ cached_tokens: cached }) => cached,
        ({ input_tokens: input }) => input,
      ),
      lineOf(
        'requests that fell back',
        4,
        ({ fallbacks }) => fallbacks,
        ({ requests }) => requests,
      ),
    ],
  };
}
