/** When a limit resets, at the next boundary of UTC; undefined for one that never does. */
export function resetsAt(reset: string | null, now: number): number | undefined {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (reset === 'daily') return Date.UTC(year, month, day + 1);
  if (reset === 'weekly') return Date.UTC(year, month, day + ((8 - (date.getUTCDay() || 7)) % 7 || 7));
  return reset === 'monthly' ? Date.UTC(year, month + 1, 1) : undefined;
}
