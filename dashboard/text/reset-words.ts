import { ago, day, hourMinute } from './time.ts';

/**
 * When a limit starts again: `resets in 5 days (1 Dec, 00:00 UTC, 01:00 your time)`.
 * @param zone Of who reads it. @param limitZone Whose midnight it is.
 */
export function resetWords(moment: string | number, now: number, zone: string, limitZone: string): string {
  const there = `${day(moment, limitZone)}, ${hourMinute(moment, limitZone)}`;
  const isSameDay = day(moment, zone) === day(moment, limitZone);
  const mine = `${isSameDay ? '' : `${day(moment, zone)}, `}${hourMinute(moment, zone)}`;
  const also = mine === hourMinute(moment, limitZone) ? '' : `, ${mine} your time`;
  return `resets ${ago(moment, now)} (${there} ${limitZone}${also})`;
}
