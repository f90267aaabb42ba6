import { useRef } from 'preact/hooks';
import { principal } from '../../api/session-state.ts';
import { ChartCard } from '../../charts/chart-card.tsx';
import { cumulative, type PlotData, toneOf } from '../../charts/plot-data.ts';
import { isOfAllAccounts } from '../../state/all-accounts.ts';
import { failureOf } from '../../state/query.ts';
import { choice, choose } from '../../state/url.ts';
import {
  type Dimension,
  type Group,
  type Metric,
  metrics,
  ofAll,
  rangeOfSteps,
  type Series,
  useSeries,
} from '../../state/usage.ts';
import { count, exactUsd, many, plain, short, usd } from '../../text/format.ts';

const dimensions: readonly (readonly [Dimension, string])[] = [
  ['model', 'model'],
  ['key', 'key'],
  ['provider', 'provider'],
  ['endpoint', 'endpoint'],
  ['workspace', 'workspace'],
];

/** Any metric by any group over time: what was spent, and on what. */
export function ExploreChart() {
  const tones = useRef(new Map<string, number>());
  const metric = (choice('metric') ?? 'spend') as Metric;
  const isOfAll = isOfAllAccounts();
  const isManager = principal.value?.role !== 'key';
  const known = dimensions.filter(
    ([name]) => (isManager && !isOfAll) || (name !== 'key' && name !== 'workspace'),
  );
  const by = known.find(([name]) => name === choice('by'))?.[0] ?? 'model';
  const isCumulative = choice('view') === 'cumulative';
  const loaded = useSeries({ group: by, top: 6, ...ofAll() });
  const data = loaded.data && dataOf(loaded.data, metric, isCumulative, tones.current);
  const label = metrics[metric].label;
  return (
    <ChartCard
      title={`${label} by ${by}`}
      data={data}
      kind={isCumulative ? 'areas' : 'bars'}
      summary={summaryOf(loaded.data, metric, by)}
      empty={loaded.data?.total.totals.requests === 0 ? 'No requests in this range.' : undefined}
      isStale={loaded.isStale}
      failure={failureOf(loaded)}
      onSteps={(first, last) => choose(rangeOfSteps(loaded.data, first, last) ?? {})}
      controls={
        <>
          <select
            class="select"
            aria-label="Metric"
            value={metric}
            onChange={({ currentTarget }) => choose({ metric: currentTarget.value }, { replace: true })}
          >
            {Object.entries(metrics).map(([name, { label: text }]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
          <select
            class="select"
            aria-label="Group by"
            value={by}
            onChange={({ currentTarget }) => choose({ by: currentTarget.value }, { replace: true })}
          >
            {known.map(([name, text]) => (
              <option key={name} value={name}>
                by {text}
              </option>
            ))}
          </select>
          <fieldset class="segments" aria-label="View">
            <button
              type="button"
              aria-pressed={!isCumulative}
              onClick={() => choose({ view: undefined }, { replace: true })}
            >
              Bars
            </button>
            <button
              type="button"
              aria-pressed={isCumulative}
              onClick={() => choose({ view: 'cumulative' }, { replace: true })}
            >
              Cumulative
            </button>
          </fieldset>
        </>
      }
    />
  );
}

function dataOf(series: Series, metric: Metric, isCumulative: boolean, tones: Map<string, number>): PlotData {
  const { of } = metrics[metric];
  const amounts = (group: Group) => group.series.map(of);
  const read = metric === 'spend' ? usd : (value: bigint) => count(Number(value));
  const exact = metric === 'spend' ? (value: bigint) => exactUsd(value).replaceAll(/[$,]/g, '') : String;
  const added = (values: readonly bigint[], index: number) =>
    isCumulative ? values.slice(0, index + 1).reduce((sum, value) => sum + value, 0n) : (values[index] ?? 0n);
  const all = amounts(series.total);
  return {
    starts: series.starts,
    bucket: series.bucket,
    zone: series.tz,
    isPartial: series.last_is_partial,
    axis: metric === 'spend' ? (value) => usd(BigInt(Math.round(value))) : short,
    total: (index) => read(added(all, index)),
    series: series.groups
      .filter((group) => of(group.totals) > 0n)
      .map((group) => {
        const values = amounts(group);
        const drawn = values.map(Number);
        return {
          label: group.value === null ? many(series.others, 'other') : plain(group.label),
          tone: toneOf(tones, group.value),
          values: isCumulative ? cumulative(drawn) : drawn,
          text: (index) => read(added(values, index)),
          exact: (index) => exact(added(values, index)),
        };
      }),
  };
}

function summaryOf(series: Series | undefined, metric: Metric, by: Dimension): string {
  if (series === undefined) return 'Loading';
  const [first] = series.groups;
  const most = first === undefined ? '' : ` Most by ${by}: ${plain(first.label)}.`;
  return `${metrics[metric].label} over time, ${count(series.total.totals.requests)} requests in all.${most} Arrow keys read single steps.`;
}
