import { useRef } from 'preact/hooks';
import { ChartCard } from '../../charts/chart-card.tsx';
import { ErrorChart } from '../../charts/error-chart.tsx';
import { type HeatData, heatData } from '../../charts/heat-data.ts';
import { HeatMap } from '../../charts/heat-map.tsx';
import { showSteps } from '../../charts/show-steps.ts';
import { spendData } from '../../charts/spend-data.ts';
import { TimesChart } from '../../charts/times-chart.tsx';
import { failureOf } from '../../state/query.ts';
import { chosenRange, type TimeRange } from '../../state/range.ts';
import { href } from '../../state/url.ts';
import { type Series, useSeries } from '../../state/usage.ts';
import { count, duration, many, short } from '../../text/format.ts';

/** What a model cost, how fast it was and how often it failed in the chosen range. */
export function ModelCharts({ id }: { readonly id: string }) {
  const isLong = isOfDays(chosenRange());
  const loaded = useSeries({ model: id, times: isLong ? 'true' : 'classes' });
  return (
    <div class="model-charts">
      <Spend id={id} />
      <TimesChart
        series={loaded.data}
        isStale={loaded.isStale}
        failure={failureOf(loaded)}
        of={{ model: id }}
      />
      <TimesMap id={id} isLong={isLong} />
      <ErrorChart of={{ model: id }} all={loaded.data} />
    </div>
  );
}

/** Whether other charts have steps of a day where the map has room for hours. */
function isOfDays({ from, to }: TimeRange): boolean {
  const length = (Date.parse(to) - Date.parse(from)) / 86_400_000;
  return length > 4 && length < 16;
}

function Spend({ id }: { readonly id: string }) {
  const tones = useRef(new Map<string, number>());
  const loaded = useSeries({ group: 'provider', model: id, top: 6 });
  const totals = loaded.data?.total.totals;
  return (
    <ChartCard
      title="Spend by provider"
      data={loaded.data && spendData(loaded.data, tones.current)}
      kind="bars"
      summary={`Spend over time, ${many(totals?.requests ?? 0, 'request')} in all.`}
      empty={totals?.requests === 0 ? 'No requests in this range.' : undefined}
      isStale={loaded.isStale}
      failure={failureOf(loaded)}
      onSteps={(first, last) => showSteps(loaded.data, first, last, { model: id })}
      controls={
        <a class="hint" href={href('requests', { model: id })}>
          {totals === undefined
            ? ''
            : `${many(totals.requests, 'request')}, ${short(totals.input_tokens + totals.output_tokens)} tokens`}
        </a>
      }
    />
  );
}

/** How total times were spread, step by step. */
function TimesMap({ id, isLong }: { readonly id: string; readonly isLong: boolean }) {
  const loaded = useSeries({
    model: id,
    times: 'classes',
    ...(isLong ? { bucket: '1h' } : {}),
  });
  const series = loaded.data;
  const data = series && heatData(series);
  const summary = summaryOf(series, data);
  const onSteps = (first: number, last: number) =>
    showSteps(series && data && { starts: data.starts, to: series.to }, first, last, { model: id });
  return (
    <ChartCard
      title="Spread of total times"
      data={data}
      kind={() => data && <HeatMap data={data} summary={summary} onSteps={onSteps} />}
      summary={summary}
      empty={data?.series.length === 0 ? 'No answers in this range.' : undefined}
      isStale={loaded.isStale}
      failure={failureOf(loaded)}
    />
  );
}

function summaryOf(series: Series | undefined, data: HeatData | undefined): string {
  const times = series?.times?.total;
  if (data === undefined || times?.total_ms == null) return 'Total times over time.';
  const { p50, p95 } = times.total_ms;
  return `How total times of ${count(times.n)} answers were spread over time: p50 ${duration(p50)}, p95 ${duration(p95)}.`;
}
