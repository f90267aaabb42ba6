import { Plot } from '../../charts/plot.tsx';
import type { PlotData, PlotSeries } from '../../charts/plot-data.ts';
import { Failed } from '../../parts/state.tsx';
import { zone } from '../../state/preferences.ts';
import { choose, href } from '../../state/url.ts';
import { rangeOfSteps, type Series, type SeriesAsked, type Sums, useSeries } from '../../state/usage.ts';
import { count, many, short } from '../../text/format.ts';
import { summedFilters } from './filters.ts';

/** How many requests there were over time, by the filters that sums know. */
export function Volume({ filters }: { readonly filters: Readonly<Record<string, string>> }) {
  const known = Object.fromEntries(Object.entries(filters).filter(([name]) => summedFilters.includes(name)));
  const further = Object.keys(filters).length - Object.keys(known).length;
  const loaded = useSeries(known as SeriesAsked);
  const { data } = loaded;
  const totals = data?.total.totals;
  if (loaded.error !== undefined && data === undefined) {
    return (
      <section class="card" aria-label="Volume">
        <Failed error={loaded.error} retry={loaded.reload} />
      </section>
    );
  }
  return (
    <section class={`card volume${loaded.isStale ? ' stale' : ''}`} aria-label="Volume">
      <p class="hint">
        {totals === undefined
          ? 'Counting…'
          : `${many(totals.requests, 'request')}, ${count(totals.failed)} failed`}
        {further > 0 && ` before ${many(further, 'more filter')}`}
        {data !== undefined && data.starts.length > 1 && ' · choose a bar, or draw over some, to look closer'}
        {filters.outcome === 'failed' && (
          <>
            {' · '}
            <a href={href('requests', { outcome: 'refused' })}>Requests that were turned away</a> are not
            among them
          </>
        )}
      </p>
      {data !== undefined && (
        <Plot
          data={dataOf(data)}
          kind="bars"
          summary={`Requests over time, ${count(totals?.requests ?? 0)} in all.`}
          onSteps={(first, last) => choose(rangeOfSteps(data, first, last) ?? {})}
        />
      )}
    </section>
  );
}

function dataOf(series: Series): PlotData {
  const seriesOf = (label: string, tone: number, of: (sums: Sums) => number): PlotSeries => {
    const values = series.total.series.map(of);
    return {
      label,
      tone,
      values,
      text: (index) => count(values[index] ?? 0),
      exact: (index) => String(values[index] ?? 0),
    };
  };
  return {
    starts: series.starts,
    bucket: series.bucket,
    zone: zone(),
    isPartial: series.last_is_partial,
    axis: short,
    total: (index) => count(series.total.series[index]?.requests ?? 0),
    series: [
      seriesOf('ok or cancelled', 1, ({ requests, failed }) => requests - failed),
      seriesOf('failed', 2, ({ failed }) => failed),
    ],
  };
}
