import { ChartCard } from '../../charts/chart-card.tsx';
import { type PlotData, toneOf } from '../../charts/plot-data.ts';
import { choose, go, href } from '../../state/url.ts';
import { count, many, percent, plain, short } from '../../text/format.ts';
import type { Router } from './queries.ts';

/** Models that have a colour of their own; all others are one. */
const mostModels = 5;
const day = 86_400_000;

/** What a router chose on each day, and how often another endpoint than the first had to answer. */
export function RouterCharts({ router }: { readonly router: Router }) {
  const { name, days, generations, fallbacks } = router;
  const show = (first: number, last: number, further: Readonly<Record<string, string>> = {}) => {
    const [start, end] = [days[first]?.day, days[last]?.day];
    if (start === undefined || end === undefined) return;
    go(href('requests', { router: router.id, ...further }));
    const to = new Date(Date.parse(end) + day).toISOString();
    choose({ from: new Date(start).toISOString(), to, range: undefined }, { replace: true });
  };
  return (
    <>
      <ChartCard
        title={`${plain(name)}: models chosen`}
        data={modelData(router)}
        kind="bars"
        summary={`Answers of ${plain(name)} by model in the last seven days, ${count(generations)} in all.`}
        empty={undefined}
        isStale={false}
        onSteps={(first, last) => show(first, last)}
      />
      <ChartCard
        title={`${plain(name)}: fallback share`}
        data={fallbackData(router)}
        kind="lines"
        summary={`${many(fallbacks, 'answer')} of ${count(generations)} took more than one endpoint.`}
        empty={undefined}
        isStale={false}
        onSteps={(first, last) => show(first, last, { fallback: 'true' })}
      />
    </>
  );
}

function modelData({ days, models }: Router): PlotData {
  const tones = new Map<string, number>();
  const named = models.slice(0, mostModels).map(({ name }) => name);
  const countOf = (index: number, fits: (name: string) => boolean) =>
    (days[index]?.models ?? [])
      .filter(({ name }) => fits(name))
      .reduce((sum, { generations }) => sum + generations, 0);
  const seriesOf = (value: string | null, label: string, fits: (name: string) => boolean) => ({
    label,
    tone: toneOf(tones, value),
    values: days.map((_, index) => countOf(index, fits)),
    text: (index: number) => count(countOf(index, fits)),
    exact: (index: number) => String(countOf(index, fits)),
  });
  return {
    ...stepsOf(days),
    axis: short,
    total: (index) => String(days[index]?.generations ?? 0),
    series: [
      ...named.map((name) => seriesOf(name, plain(name), (one) => one === name)),
      ...(models.length > named.length ? [seriesOf(null, 'Other', (one) => !named.includes(one))] : []),
    ],
  };
}

function fallbackData({ days }: Router): PlotData {
  const shareOn = (index: number) => {
    const { generations = 0, fallbacks = 0 } = days[index] ?? {};
    return generations === 0 ? undefined : fallbacks / generations;
  };
  return {
    ...stepsOf(days),
    axis: percent,
    isLevel: true,
    series: [
      {
        label: 'more than one endpoint was asked',
        tone: 2,
        values: days.map((_, index) => shareOn(index)),
        text: (index) => percent(shareOn(index) ?? 0),
        exact: (index) => String(shareOn(index) ?? ''),
      },
    ],
  };
}

function stepsOf(days: Router['days']) {
  const starts = days.map((one) => new Date(one.day).toISOString());
  return { starts, bucket: '1d', zone: 'UTC', isPartial: true };
}
