import { useRef } from 'preact/hooks';
import { failureOf } from '../state/query.ts';
import { type Series, type SeriesAsked, useSeries } from '../state/usage.ts';
import { count, percent, share, short } from '../text/format.ts';
import { ChartCard } from './chart-card.tsx';
import { type PlotData, type PlotSeries, toneOf } from './plot-data.ts';
import { showSteps } from './show-steps.ts';

interface ErrorChartProps {
  /** Whose requests. */
  readonly of: Pick<SeriesAsked, 'model' | 'all_accounts'>;
  /** Sums of the same requests, those that did not fail too. */
  readonly all: Series | undefined;
}

/** Which requests failed, by the type of their error, and how many of all that is. */
export function ErrorChart({ of, all }: ErrorChartProps) {
  const tones = useRef(new Map<string, number>());
  const loaded = useSeries({ group: 'error', top: 6, outcome: 'failed', ...of });
  const failed = loaded.data?.total.totals.failed ?? 0;
  const requests = all?.total.totals.requests ?? 0;
  return (
    <ChartCard
      title="Failures by type"
      data={loaded.data && dataOf(loaded.data, all, tones.current)}
      kind="bars"
      summary={`Failed requests over time, ${count(failed)} in all, ${share(failed, requests)} of all requests.`}
      empty={loaded.data !== undefined && failed === 0 ? 'Nothing failed in this range.' : undefined}
      isStale={loaded.isStale}
      failure={failureOf(loaded)}
      {...(of.all_accounts
        ? {}
        : {
            onSteps: (first, last) =>
              showSteps(loaded.data, first, last, { outcome: 'failed', model: of.model }),
          })}
    />
  );
}

function dataOf(series: Series, all: Series | undefined, tones: Map<string, number>): PlotData {
  const groups = series.groups
    .filter(({ totals }) => totals.failed > 0)
    .map(
      (group): PlotSeries => ({
        label: group.label,
        tone: toneOf(tones, group.value),
        values: group.series.map(({ failed }) => failed),
        text: (index) => count(group.series[index]?.failed ?? 0),
        exact: (index) => String(group.series[index]?.failed ?? 0),
      }),
    );
  return {
    starts: series.starts,
    bucket: series.bucket,
    zone: series.tz,
    isPartial: series.last_is_partial,
    // Few failures have lines between whole numbers.
    axis: (value) => (Number.isInteger(value) ? short(value) : ''),
    series: all === undefined ? groups : [...groups, rateOf(series, all)],
  };
}

/** The share of requests that failed. */
function rateOf(series: Series, all: Series): PlotSeries {
  // Both were read for themselves, so one may begin a step later.
  const requests = new Map(all.starts.map((start, index) => [start, all.total.series[index]?.requests ?? 0]));
  const values = series.starts.map((start, index) => {
    const whole = requests.get(start) ?? 0;
    return whole === 0 ? undefined : Math.min(1, (series.total.series[index]?.failed ?? 0) / whole);
  });
  return {
    label: 'share of all requests',
    tone: 0,
    isRate: true,
    values,
    text: (index) => percent(values[index] ?? 0),
    exact: (index) => String(values[index] ?? ''),
  };
}
