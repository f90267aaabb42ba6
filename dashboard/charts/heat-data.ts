import { count, share } from '../text/format.ts';
import type { PlotData } from './plot-data.ts';

/** Columns that are drawn at most; of more steps, some neighbours are one. */
export const mostColumns = 60;

/** From which share of a step's answers on a cell has the next stronger colour. */
export const heatLevels = [0, 0.05, 0.1, 0.2, 0.4] as const;

/** What a heat map is made of: sums with classes of times. */
export interface HeatFacts {
  readonly starts: readonly string[];
  readonly bucket: string;
  readonly tz: string;
  readonly last_is_partial: boolean;
  readonly times: {
    readonly classes: {
      readonly bounds_ms: readonly number[];
      readonly counts: readonly (readonly number[])[];
    } | null;
  } | null;
}

/** What a heat map of total times shows: one group for each class of times, the shortest first. */
export interface HeatData extends PlotData {
  /** Where each class begins, and where the last one ends; milliseconds. */
  readonly bounds: readonly number[];
}

/** The heat map of some sums, without classes where nothing was answered; undefined for sums without times. */
export function heatData(series: HeatFacts): HeatData | undefined {
  if (series.times === null) return undefined;
  const { bounds_ms: bounds, counts } = series.times.classes ?? { bounds_ms: [], counts: [] };
  const together = Math.ceil(series.starts.length / mostColumns);
  const starts = series.starts.filter((_, index) => index % together === 0);
  const columns = starts.map((_, column) => {
    const merged = counts.slice(column * together, (column + 1) * together);
    return bounds.slice(1).map((_, place) => sum(merged.map((row) => row[place] ?? 0)));
  });
  const answers = columns.map(sum);
  return {
    starts,
    bounds,
    bucket: series.bucket,
    zone: series.tz,
    isPartial: series.last_is_partial,
    axis: timeBound,
    total: (index) => count(answers[index] ?? 0),
    series: bounds.slice(1).map((end, place) => {
      const countAt = (index: number) => columns[index]?.[place] ?? 0;
      const values = answers.map((all, index) => (all === 0 ? undefined : countAt(index) / all));
      return {
        label: `${timeBound(bounds[place] ?? 0)} to ${timeBound(end)}`,
        tone: 0,
        level: (index: number) => heatLevel(values[index]),
        values,
        text: (index: number) => `${count(countAt(index))} (${share(countAt(index), answers[index] ?? 0)})`,
        exact: (index: number) => String(countAt(index)),
      };
    }),
  };
}

/** How strong the colour of a share is, from 1 on; 0 is none. */
export function heatLevel(value: number | undefined): number {
  return value === undefined || value <= 0 ? 0 : heatLevels.filter((from) => value >= from).length;
}

/** Where a class begins or ends, with all its digits: `250 ms`, `1.25 s`. */
export function timeBound(milliseconds: number): string {
  return milliseconds < 1000 ? `${count(milliseconds)} ms` : `${count(milliseconds / 1000)} s`;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
