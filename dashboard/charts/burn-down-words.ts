import { usd } from '../text/format.ts';
import { day, fullDay, hourMinute } from '../text/time.ts';
import type { BurnDown } from './burn-down-data.ts';

const twoDays = 2 * 86_400_000;

interface Facts {
  readonly limit: bigint;
  /** Unix milliseconds. */
  readonly now: number;
  /** When the limit resets; undefined for one that never does. */
  readonly end: number | undefined;
  /** Of who reads it. */
  readonly zone: string;
}

/** What a burn-down says, in one sentence or two. */
export function burnDownWords(found: BurnDown, { limit, now, end, zone }: Facts): string {
  const { leftNow, usedUpAt, leftAtEnd } = found;
  const left = `${usd(leftNow)} left of ${usd(limit)}`;
  const then = end === undefined ? '' : utcAndLocal(end, zone);
  const rest =
    end === undefined ? ' It never resets; the pace is that of the last 30 days.' : ` It resets on ${then}.`;
  if (leftNow === 0n) return `${left}: used up.${end === undefined ? ' It never resets.' : rest}`;
  if (usedUpAt !== undefined)
    return `${left}; at this pace used up on ${momentOf(usedUpAt, now, zone)}.${rest}`;
  if (leftAtEnd !== undefined) {
    return `${left}; at this pace ${usd(leftAtEnd)} will be left when it resets on ${then}.`;
  }
  return end === undefined
    ? `${left}; nothing was spent in the last 30 days. It never resets.`
    : `${left}; nothing was spent in this window.${rest}`;
}

/** Hours are said of what is near; of the rest they would be a guess. */
function momentOf(moment: number, now: number, zone: string): string {
  return moment - now < twoDays ? utcAndLocal(moment, zone) : `${fullDay(moment, 'UTC')} (UTC)`;
}

/** A moment of UTC, with the time of the reader beside it where that is another one: `1 Dec, 00:00 UTC (01:00 your time)`. */
export function utcAndLocal(moment: number, zone: string): string {
  const [utc, local] = [hourMinute(moment, 'UTC'), hourMinute(moment, zone)];
  const [utcDay, localDay] = [day(moment, 'UTC'), day(moment, zone)];
  if (utc === local && utcDay === localDay) return `${utcDay}, ${utc} UTC`;
  return `${utcDay}, ${utc} UTC (${utcDay === localDay ? '' : `${localDay}, `}${local} your time)`;
}
