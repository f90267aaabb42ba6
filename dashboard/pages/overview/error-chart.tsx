import { useRef } from 'preact/hooks';
import { ChartCard } from '../../charts/chart-card.tsx';
import { type PlotData, toneOf } from '../../charts/plot-data.ts';
import { isOfAllAccounts } from '../../state/all-accounts.ts';
import { choose, go, href } from '../../state/url.ts';
import { ofAll, type Series, useSeries } from '../../state/usage.ts';
import { count, short } from '../../text/format.ts';

/** Which requests failed, by the type of their error. */
export function ErrorChart() {
  const tones = useRef(new Map<string, number>());
  const loaded = useSeries({ group: 'error', top: 6, outcome: 'failed', ...ofAll() });
  const isEmpty = loaded.data?.total.totals.failed === 0;
  return (
    <ChartCard
      title="Failures by type"
      data={loaded.data && dataOf(loaded.data, tones.current)}
      kind="bars"
      summary={`Failed requests over time, ${count(loaded.data?.total.totals.failed ?? 0)} in all.`}
      empty={isEmpty ? 'Nothing failed in this range.' : undefined}
      isStale={loaded.isStale}
      {...(isOfAllAccounts() ? {} : { onStep: (index) => showStep(loaded.data, index) })}
    />
  );
}

/** Lists the failures of one step. */
function showStep(series: Series | undefined, index: number): void {
  const from = series?.starts[index];
  const to = series?.starts[index + 1] ?? series?.to;
  if (from === undefined || to === undefined) return;
  go(href('requests', { outcome: 'failed' }));
  choose({ from, to, range: undefined }, { replace: true });
}

function dataOf(series: Series, tones: Map<string, number>): PlotData {
  return {
    starts: series.starts,
    bucket: series.bucket,
    zone: series.tz,
    isPartial: series.last_is_partial,
    axis: short,
    series: series.groups
      .filter(({ totals }) => totals.failed > 0)
      .map((group) => ({
        label: group.label,
        tone: toneOf(tones, group.value),
        values: group.series.map(({ failed }) => failed),
        text: (index) => count(group.series[index]?.failed ?? 0),
        exact: (index) => String(group.series[index]?.failed ?? 0),
      })),
  };
}
