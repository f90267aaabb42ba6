import { ago, day, hourMinute } from './time.ts';

/** When a limit starts again: `resets in 5 days (1 Dec, 00:00 UTC, 01:00 your time)`. */
export function resetWords(moment: string | number, now: number, zone: string): string {
  const utc = `${day(moment, 'UTC')}, ${hourMinute(moment, 'UTC')}`;
  const isSameDay = day(moment, zone) === day(moment, 'UTC');
  const mine = `${isSameDay ? '' : `${day(moment, zone)}, `}${hourMinute(moment, zone)}`;
  return `resets ${ago(moment, now)} (${utc} UTC${mine === hourMinute(moment, 'UTC') ? '' : `, ${mine} your time`})`;
}
