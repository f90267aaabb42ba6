import { ChartCard } from '../../charts/chart-card.tsx';
import type { PlotData, PlotSeries } from '../../charts/plot-data.ts';
import { zone } from '../../state/preferences.ts';
import type { Series } from '../../state/usage.ts';
import { duration } from '../../text/format.ts';

/** How long callers waited for the first token. */
export function TimesChart({
  series,
  isStale,
}: {
  readonly series: Series | undefined;
  readonly isStale: boolean;
}) {
  const isEmpty = series?.times?.total.first_token_ms == null;
  return (
    <ChartCard
      title="Time to first token"
      data={series && dataOf(series)}
      kind="lines"
      summary={summaryOf(series)}
      empty={isEmpty ? 'No answers in this range.' : undefined}
      isStale={isStale}
    />
  );
}

function dataOf(series: Series): PlotData {
  const steps = series.times?.series ?? [];
  const lineOf = (label: string, tone: number, which: 'p50' | 'p95'): PlotSeries => {
    const values = steps.map(({ first_token_ms: times }) => times?.[which]);
    const text = (index: number) => {
      const value = values[index];
      return value === undefined ? '–' : duration(value);
    };
    return { label, tone, values, text, exact: (index) => String(values[index] ?? '') };
  };
  return {
    starts: series.starts,
    bucket: series.bucket,
    zone: zone(),
    isPartial: series.last_is_partial,
    axis: duration,
    series: [lineOf('half of the answers', 1, 'p50'), lineOf('95 of 100', 2, 'p95')],
  };
}

function summaryOf(series: Series | undefined): string {
  const times = series?.times?.total.first_token_ms;
  if (times == null) return 'Time to first token over time.';
  return `Time to first token over time: half within ${duration(times.p50)}, 95 of 100 within ${duration(times.p95)}.`;
}
