import type { ComponentChildren } from 'preact';
import { limitCalendar, limitZone } from '../state/limit-calendar.ts';
import { zone } from '../state/preferences.ts';
import { failureOf } from '../state/query.ts';
import type { TimeRange } from '../state/range.ts';
import { type LimitWindow, resetsAt, windowStart } from '../state/resets-at.ts';
import { lastWeek, type Series, type SeriesAsked, type Sums, useSeries } from '../state/usage.ts';
import { decimalUsd, usd } from '../text/format.ts';
import { type BurnDown, burnDown, shownDays } from './burn-down-data.ts';
import { burnDownWords } from './burn-down-words.ts';
import { ChartCard } from './chart-card.tsx';
import type { PlotData, PlotSeries } from './plot-data.ts';
import { showSteps } from './show-steps.ts';

/** A limit of spending. Amounts are nano-USD. */
export interface DrawnLimit {
  readonly limit: bigint;
  readonly reset: LimitWindow;
  /** Whether what own credentials serve counts, at its list price. */
  readonly includesOwn: boolean;
  /** What was spent of it in all; only asked of a limit that never resets. */
  readonly spent: bigint;
  /** Whose calls count. */
  readonly of: Pick<SeriesAsked, 'key' | 'workspace'>;
}

interface BurnDownCardProps {
  readonly title: string;
  readonly value: DrawnLimit;
  /** What the limit is of, where the page does not say it. */
  readonly about?: string;
  readonly controls?: ComponentChildren;
}

const hour = 3_600_000;
const day = 24 * hour;

/** What is left of a limit: over its running window, at an even pace, and as it will be at the pace of seven days. */
export function BurnDownCard({ title, value, about, controls }: BurnDownCardProps) {
  const { reset, of } = value;
  const isByHour = reset === 'daily' || reset === 'weekly';
  // A limit holds in all workspaces.
  const asked = { workspace: '', ...of, bucket: isByHour ? '1h' : '1d', tz: limitZone.value } as const;
  const loaded = useSeries(asked, () => windowOf(reset, Date.now()));
  const week = useSeries({ workspace: '', ...of, bucket: 'all' }, lastWeek).data?.total.totals;
  const { data } = loaded;
  const found = data && week && solve(value, data, week, isByHour ? hour : day);
  const words = data && found && `${about === undefined ? '' : `${about}: `}${wordsOf(found, value, data)}`;
  return (
    <ChartCard
      title={title}
      data={data && found && dataOf(found, value.limit, data)}
      kind="lines"
      summary={words ?? title}
      note={words ?? ' '}
      empty={undefined}
      isStale={loaded.isStale}
      failure={failureOf(loaded)}
      onSteps={(first, last) => showSteps(data, first, last, of)}
      controls={controls}
    />
  );
}

/** The running window of a limit so far; of one that never resets, the last 30 days. */
function windowOf(reset: LimitWindow, now: number): TimeRange {
  const start =
    windowStart(reset, now, limitCalendar.value) ??
    (windowStart('daily', now, limitCalendar.value) ?? now) - (shownDays - 1) * day;
  const end = (Math.floor(now / (hour / 4)) + 1) * (hour / 4);
  return {
    name: 'custom',
    label: '',
    from: new Date(start).toISOString(),
    to: new Date(end).toISOString(),
  };
}

function solve(value: DrawnLimit, series: Series, week: Sums, step: number): BurnDown {
  const { limit, reset, includesOwn, spent } = value;
  const now = Date.parse(series.as_of);
  const end = resetsAt(reset, Date.parse(series.from), limitCalendar.value);
  const counted = ({ cost_nano: cost, byok_cost_nano: own }: Sums) =>
    BigInt(cost) + (includesOwn ? BigInt(own) : 0n);
  const used = series.total.series.map(counted);
  const usedBefore = end === undefined ? spent - used.reduce((all, amount) => all + amount, 0n) : 0n;
  const starts = series.starts.map((start) => Date.parse(start));
  return burnDown({ limit, usedBefore, starts, used, usedInWeek: counted(week), step, now, end });
}

function wordsOf(found: BurnDown, { limit, reset }: DrawnLimit, series: Series): string {
  const end = resetsAt(reset, Date.parse(series.from), limitCalendar.value);
  return burnDownWords(found, {
    limit,
    now: Date.parse(series.as_of),
    end,
    zone: zone(),
    limitZone: limitZone.value,
  });
}

function dataOf({ starts, left, even, expected }: BurnDown, limit: bigint, series: Series): PlotData {
  const lines: readonly PlotSeries[] = [
    { ...lineOf('even pace', 0, even), isThin: true },
    { ...lineOf('left', 1, left), isStepped: true },
    { ...lineOf('at the pace of 7 days', 1, expected), isExpected: true },
  ];
  return {
    starts: starts.map((start) => new Date(start).toISOString()),
    bucket: series.bucket,
    zone: limitZone.value,
    isPartial: series.last_is_partial,
    isLevel: true,
    most: Number(limit),
    axis: (value) => usd(BigInt(Math.round(value))).replace(/\.00$/, ''),
    series: lines.filter(({ values }) => values.some((value) => value !== undefined)),
  };
}

function lineOf(label: string, tone: number, amounts: readonly (bigint | undefined)[]): PlotSeries {
  return {
    label,
    tone,
    // For drawing only.
    values: amounts.map((nano) => (nano === undefined ? undefined : Number(nano))),
    text: (index) => (amounts[index] === undefined ? '–' : usd(amounts[index])),
    exact: (index) => (amounts[index] === undefined ? '' : decimalUsd(amounts[index])),
  };
}
