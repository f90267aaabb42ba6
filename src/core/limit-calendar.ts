import { localDays } from '../util/local-days.ts';

/** How often limits that begin anew do so. */
export const resetIntervals = ['daily', 'weekly', 'monthly'] as const;
export type ResetInterval = (typeof resetIntervals)[number];

/** A half-open range of Unix milliseconds. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
}

/** The windows that hold one moment. They begin and end at whole quarters of an hour of UTC. */
export type LimitWindows = Readonly<Record<ResetInterval, TimeRange>>;

/** Says in which windows spending counts (docs/spec/accounts.md#windows). */
export interface SpendCalendar {
  /** @param moment Unix milliseconds. */
  readonly windowsAt: (moment: number) => LimitWindows;
}

export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

/** Where days and weeks begin. */
export interface CalendarRule {
  /** A zone of the IANA database. */
  readonly timeZone: string;
  readonly weekStart: (typeof weekdays)[number];
}

/** A rule that the operator set at a moment, Unix milliseconds. It holds from the next windows on. */
export interface CalendarChange extends CalendarRule {
  readonly since: number;
}

/** A rule and when it holds from, which may be amid a window of its own. */
interface Period {
  readonly from: number;
  readonly windowAt: (interval: ResetInterval, moment: number) => TimeRange;
}

/** The rule of an installation without a setting. */
export const usualRule: CalendarRule = { timeZone: 'UTC', weekStart: 'monday' };

/**
 * The windows of limits where the rule has changed over time. A window that was running at a change ends when it would
 * have, and the next one begins there, so that nothing that was spent counts twice or nowhere, and `resets_at` stays true.
 */
export class LimitCalendar implements SpendCalendar {
  readonly changes: readonly CalendarChange[];
  readonly #periods: Readonly<Record<ResetInterval, readonly Period[]>>;
  /** The last answer and the moments that it holds for: most questions are about now. */
  #last: LimitWindows | undefined;
  #range: TimeRange = { start: 0, end: 0 };

  /** @param changes In the order of time; the first one holds from the beginning. Without any it is `usualRule`. */
  constructor(changes: readonly CalendarChange[] = []) {
    this.changes = changes;
    const [first = usualRule, ...later] = changes;
    const periodsOf = (interval: ResetInterval) => {
      let periods: readonly Period[] = [{ from: Number.NEGATIVE_INFINITY, windowAt: windowsOf(first) }];
      for (const change of later) {
        const { end: from } = windowIn(periods, interval, change.since);
        // A change within the same window takes the place of one that would have held from its end.
        periods = [...periods.filter((one) => one.from < from), { from, windowAt: windowsOf(change) }];
      }
      return periods;
    };
    this.#periods = { daily: periodsOf('daily'), weekly: periodsOf('weekly'), monthly: periodsOf('monthly') };
  }

  windowsAt(moment: number): LimitWindows {
    if (this.#last !== undefined && holds(this.#range, moment)) return this.#last;
    const at = (interval: ResetInterval) => windowIn(this.#periods[interval], interval, moment);
    const windows = { daily: at('daily'), weekly: at('weekly'), monthly: at('monthly') };
    this.#range = sharedRange(windows);
    this.#last = windows;
    return windows;
  }
}

/** Days of UTC and weeks from Monday: what reports of usage go by, whatever the rule for limits is. */
export const utcCalendar: SpendCalendar = new LimitCalendar();

/** The moments that lie in all three windows. */
export function sharedRange({ daily, weekly, monthly }: LimitWindows): TimeRange {
  return {
    start: Math.max(daily.start, weekly.start, monthly.start),
    end: Math.min(daily.end, weekly.end, monthly.end),
  };
}

/** Whether a moment lies in a range. */
export function holds({ start, end }: TimeRange, moment: number): boolean {
  return moment >= start && moment < end;
}

function windowIn(periods: readonly Period[], interval: ResetInterval, moment: number): TimeRange {
  const at = periods.findLastIndex(({ from }) => from <= moment);
  const period = periods[at];
  if (period === undefined) throw new Error(`no rule holds at ${moment}`);
  const { start, end } = period.windowAt(interval, moment);
  return {
    start: Math.max(start, period.from),
    end: Math.min(end, periods[at + 1]?.from ?? end),
  };
}

function windowsOf({ timeZone, weekStart }: CalendarRule): Period['windowAt'] {
  const days = localDays(timeZone);
  const firstWeekday = weekdays.indexOf(weekStart);
  return (interval, moment) => {
    const [first, end] = daysOf(interval, days.at(moment), firstWeekday);
    return { start: days.startOf(first), end: days.startOf(end) };
  };
}

/** The first day of a day's window and the one after its last, as `localDays` counts them. */
function daysOf(interval: ResetInterval, day: number, firstWeekday: number): readonly [number, number] {
  switch (interval) {
    case 'daily':
      return [day, day + 1];
    case 'weekly': {
      // 1970-01-01 was a Thursday.
      const first = day - ((((day + 3 - firstWeekday) % 7) + 7) % 7);
      return [first, first + 7];
    }
    case 'monthly': {
      const date = new Date(day * dayLength);
      const firstOf = (month: number) => Date.UTC(date.getUTCFullYear(), month) / dayLength;
      return [firstOf(date.getUTCMonth()), firstOf(date.getUTCMonth() + 1)];
    }
  }
}

const dayLength = 86_400_000;
