/** How often a limit resets; null for one that never does. */
export type LimitWindow = 'daily' | 'weekly' | 'monthly' | null;

/** The window that an interface names. */
export function limitWindow(name: string | null): LimitWindow {
  return name === 'daily' || name === 'weekly' || name === 'monthly' ? name : null;
}

/** When a limit resets, at the next boundary of UTC; undefined for one that never does. */
export function resetsAt(reset: string | null, now: number): number | undefined {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (reset === 'daily') return Date.UTC(year, month, day + 1);
  if (reset === 'weekly') return Date.UTC(year, month, day + ((8 - (date.getUTCDay() || 7)) % 7 || 7));
  return reset === 'monthly' ? Date.UTC(year, month + 1, 1) : undefined;
}

/** When the running window of a limit began, at a boundary of UTC; undefined for one that never resets. */
export function windowStart(reset: string | null, now: number): number | undefined {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (reset === 'daily') return Date.UTC(year, month, day);
  if (reset === 'weekly') return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7));
  return reset === 'monthly' ? Date.UTC(year, month, 1) : undefined;
}
