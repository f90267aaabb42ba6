import { zone } from '../state/preferences.ts';
import type { Series } from '../state/usage.ts';
import { exactUsd, plain, usd } from '../text/format.ts';
import { type PlotData, toneOf } from './plot-data.ts';

/** What was spent over time, by group. */
export function spendData(series: Series, tones: Map<string, number>): PlotData {
  const costOf = (group: Series['total'], index: number) => group.series[index]?.cost_nano ?? '0';
  return {
    starts: series.starts,
    bucket: series.bucket,
    zone: zone(),
    isPartial: series.last_is_partial,
    axis: (value) => usd(BigInt(Math.round(value))),
    total: (index) => usd(costOf(series.total, index)),
    series: series.groups.map((group) => ({
      label: plain(group.label),
      tone: toneOf(tones, group.value),
      values: group.series.map(({ cost_nano: cost }) => Number(cost)),
      text: (index) => usd(costOf(group, index)),
      exact: (index) => exactUsd(costOf(group, index)).replaceAll(/[$,]/g, ''),
    })),
  };
}
