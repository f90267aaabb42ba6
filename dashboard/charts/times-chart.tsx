import { zone } from '../state/preferences.ts';
import type { Failure } from '../state/query.ts';
import { choice, choose } from '../state/url.ts';
import type { Series } from '../state/usage.ts';
import { count, duration, short } from '../text/format.ts';
import { ChartCard } from './chart-card.tsx';
import type { PlotData, PlotSeries } from './plot-data.ts';
import { showSteps } from './show-steps.ts';

type Times = NonNullable<Series['times']>['total'];

interface Measure {
  readonly label: string;
  readonly of: (times: Times) => Times['total_ms'];
  readonly text: (value: number) => string;
  /** What is drawn, with what it is called. */
  readonly lines: readonly (readonly ['p50' | 'p95', string])[];
}

const percentiles = [
  ['p50', 'p50'],
  ['p95', 'p95'],
] as const;

const measures: Readonly<Record<string, Measure>> = {
  first: {
    label: 'First token',
    of: ({ first_token_ms: first }) => first,
    text: duration,
    lines: percentiles,
  },
  total: { label: 'Total time', of: ({ total_ms: total }) => total, text: duration, lines: percentiles },
  speed: {
    label: 'Tokens/s',
    of: ({ tokens_per_second: speed }) => speed,
    text: (value) => `${short(value)} tok/s`,
    lines: [['p50', 'p50']],
  },
};

const usual = 'first';

interface TimesChartProps {
  /** Sums with times. */
  readonly series: Series | undefined;
  readonly isStale: boolean;
  /** Why there are no sums. */
  readonly failure?: Failure | undefined;
  /** Whose requests a step leads to. */
  readonly of?: { readonly model?: string };
}

/** How fast answers were: until the first token, until the last one, or in tokens a second. */
export function TimesChart({ series, isStale, failure, of = {} }: TimesChartProps) {
  const asked = choice('measure') ?? usual;
  const name = asked in measures ? asked : usual;
  const measure = measures[name];
  if (measure === undefined) return null;
  const isEmpty = series?.times == null || measure.of(series.times.total) === null;
  return (
    <ChartCard
      title="Speed of answers"
      data={series && dataOf(series, measure)}
      kind="lines"
      summary={summaryOf(series, measure)}
      empty={series !== undefined && isEmpty ? emptyText(series, measure) : undefined}
      isStale={isStale}
      failure={failure}
      onSteps={(first, last) => showSteps(series, first, last, of)}
      controls={
        <select
          class="select"
          aria-label="What is measured"
          value={name}
          onChange={({ currentTarget: { value } }) =>
            choose({ measure: value === usual ? undefined : value }, { replace: true })
          }
        >
          {Object.entries(measures).map(([value, { label }]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      }
    />
  );
}

function dataOf(series: Series, { of, text, lines }: Measure): PlotData {
  const steps = (series.times?.series ?? []).map(of);
  const lineOf = (which: 'p50' | 'p95', label: string, tone: number): PlotSeries => {
    const values = steps.map((times) => times?.[which]);
    const read = (index: number) => {
      const value = values[index];
      return value === undefined ? '–' : text(value);
    };
    return { label, tone, values, text: read, exact: (index) => String(values[index] ?? '') };
  };
  return {
    starts: series.starts,
    bucket: series.bucket,
    zone: zone(),
    isPartial: series.last_is_partial,
    axis: text,
    series: lines.map(([which, label], index) => lineOf(which, label, index + 1)),
  };
}

function emptyText(series: Series | undefined, { label }: Measure): string {
  return series?.times == null || series.times.total.n === 0
    ? 'No answers in this range.'
    : `${label}: no answer in this range was long enough to tell.`;
}

function summaryOf(series: Series | undefined, { label, of, text, lines }: Measure): string {
  const found = series?.times == null ? null : of(series.times.total);
  if (found === null) return `${label} over time.`;
  const parts = lines.map(([which, words]) => `${words} ${text(found[which])}`);
  return `${label} over time, of ${count(series?.times?.total.n ?? 0)} answers: ${parts.join(', ')}.`;
}
