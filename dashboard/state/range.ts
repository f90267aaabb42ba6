import { startOfMonth } from '../text/time.ts';
import { zone } from './preferences.ts';
import { choice } from './url.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The ranges that can be chosen, with how long they are in milliseconds. */
export const ranges = {
  '15m': { label: 'Last 15 minutes', length: 15 * minute },
  '1h': { label: 'Last hour', length: hour },
  '24h': { label: 'Last 24 hours', length: day },
  '7d': { label: 'Last 7 days', length: 7 * day },
  '30d': { label: 'Last 30 days', length: 30 * day },
  '90d': { label: 'Last 90 days', length: 90 * day },
  month: { label: 'This month', length: undefined },
  'last-month': { label: 'Last month', length: undefined },
} as const;

export type RangeName = keyof typeof ranges;

/** A range of time as the interface takes it. */
export interface TimeRange {
  readonly name: RangeName | 'custom';
  readonly label: string;
  readonly from: string;
  readonly to: string;
}

/** The chosen range. Relative ones stay relative: they end at the next full minute, so that answers can be shared. */
export function chosenRange(now = Date.now()): TimeRange {
  const [from, to] = [choice('from'), choice('to')];
  if (from !== undefined && to !== undefined && isTime(from) && isTime(to)) {
    return { name: 'custom', label: 'Custom range', from, to };
  }
  const asked = choice('range');
  const name: RangeName = asked !== undefined && asked in ranges ? (asked as RangeName) : '24h';
  const { label } = ranges[name];
  const { start, end } = limitsOf(name, now);
  return { name, label, from: new Date(start).toISOString(), to: new Date(end).toISOString() };
}

function limitsOf(name: RangeName, now: number): { readonly start: number; readonly end: number } {
  const end = Math.ceil(now / minute) * minute;
  const { length } = ranges[name];
  if (length !== undefined) return { start: end - length, end };
  const thisMonth = startOfMonth(now, zone());
  if (name === 'month') return { start: thisMonth, end };
  return { start: startOfMonth(thisMonth - hour, zone()), end: thisMonth };
}

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}
