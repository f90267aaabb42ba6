import { usd } from '../text/format.ts';
import { day, fullDay, hourMinute } from '../text/time.ts';
import type { BurnDown } from './burn-down-data.ts';

const twoDays = 2 * 86_400_000;

interface Zones {
  /** Of who reads it. */
  readonly zone: string;
  /** The one that limits reset in. */
  readonly limitZone: string;
}

interface Facts extends Zones {
  readonly limit: bigint;
  /** Unix milliseconds. */
  readonly now: number;
  /** When the limit resets; undefined for one that never does. */
  readonly end: number | undefined;
}

/** What a burn-down says, in one sentence or two. */
export function burnDownWords(found: BurnDown, { limit, now, end, ...zones }: Facts): string {
  const { leftNow, usedUpAt, leftAtEnd } = found;
  const left = `${usd(leftNow)} left of ${usd(limit)}`;
  const then = end === undefined ? '' : inBothZones(end, zones);
  const rest = end === undefined ? ' It never resets.' : ` It resets on ${then}.`;
  if (leftNow === 0n) return `${left}: used up.${rest}`;
  if (usedUpAt !== undefined)
    return `${left}; at the pace of 7 days used up on ${momentOf(usedUpAt, now, zones)}.${rest}`;
  if (leftAtEnd !== undefined) {
    return `${left}; at the pace of 7 days ${usd(leftAtEnd)} will be left when it resets on ${then}.`;
  }
  return `${left}; nothing was spent in the last 7 days.${rest}`;
}

/** Hours are said of what is near; of the rest they would be a guess. */
function momentOf(moment: number, now: number, zones: Zones): string {
  return moment - now < twoDays
    ? inBothZones(moment, zones)
    : `${fullDay(moment, zones.limitZone)} (${zones.limitZone})`;
}

/** A moment in the zone of limits, with the time of the reader beside it where that is another one: `1 Dec, 00:00 UTC (01:00 your time)`. */
export function inBothZones(moment: number, { zone, limitZone }: Zones): string {
  const [there, local] = [hourMinute(moment, limitZone), hourMinute(moment, zone)];
  const [thatDay, localDay] = [day(moment, limitZone), day(moment, zone)];
  if (there === local && thatDay === localDay) return `${thatDay}, ${there} ${limitZone}`;
  return `${thatDay}, ${there} ${limitZone} (${thatDay === localDay ? '' : `${localDay}, `}${local} your time)`;
}
