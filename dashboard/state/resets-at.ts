import type { SpendCalendar } from '../../src/core/limit-calendar.ts';

/** How often a limit resets; null for one that never does. */
export type LimitWindow = 'daily' | 'weekly' | 'monthly' | null;

/** The window that an interface names. */
export function limitWindow(name: string | null): LimitWindow {
  return name === 'daily' || name === 'weekly' || name === 'monthly' ? name : null;
}

/** When a limit resets; undefined for one that never does. */
export function resetsAt(reset: string | null, now: number, calendar: SpendCalendar): number | undefined {
  const window = limitWindow(reset);
  return window === null ? undefined : calendar.windowsAt(now)[window].end;
}

/** When the running window of a limit began; undefined for one that never resets. */
export function windowStart(reset: string | null, now: number, calendar: SpendCalendar): number | undefined {
  const window = limitWindow(reset);
  return window === null ? undefined : calendar.windowsAt(now)[window].start;
}
