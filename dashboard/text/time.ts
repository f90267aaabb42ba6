import { localDays, zoneOffsets } from '../../src/util/local-days.ts';

/** What is made for a zone once and kept, because it is slow to make. */
function keptByZone<Made>(make: (zone: string) => Made): (zone: string) => Made {
  const kept = new Map<string, Made>();
  return (zone) => {
    let found = kept.get(zone);
    if (found === undefined) {
      found = make(zone);
      kept.set(zone, found);
    }
    return found;
  };
}

/** Times in one form, in the zone that is asked for. */
function formatOf(options: Intl.DateTimeFormatOptions): (zone: string) => Intl.DateTimeFormat {
  return keptByZone(
    (zone) => new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', ...options }),
  );
}

const daysOf = keptByZone(localDays);
const offsetsOf = keptByZone(zoneOffsets);
const ofSecond = formatOf({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
const ofMinute = formatOf({ hour: '2-digit', minute: '2-digit' });
const ofDay = formatOf({ day: 'numeric', month: 'short' });
const ofFullDay = formatOf({ day: 'numeric', month: 'short', year: 'numeric' });
const ofMoment = formatOf({
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  timeZoneName: 'shortOffset',
});

/** A moment to the second, with its day unless it is today: `13:44:59`, `24 Nov 13:44:59`. */
export function clock(moment: string | number, zone: string, now = Date.now()): string {
  const time = toTime(moment);
  const seconds = ofSecond(zone).format(time);
  return isSameDay(time, now, zone) ? seconds : `${day(time, zone)} ${seconds}`;
}

/** A day: `24 Nov`. */
export function day(moment: string | number, zone: string): string {
  return ofDay(zone).format(toTime(moment));
}

/** A range in few words: `13:00–14:30` of today, `24 Nov 13:00–14:30`, or days alone, `24 Nov – 26 Nov`. */
export function span(from: string, to: string, zone: string, now = Date.now()): string {
  const [start, end] = [toTime(from), toTime(to)];
  if (!isSameDay(start, end, zone)) return `${day(start, zone)} – ${day(end, zone)}`;
  const hours = `${hourMinute(start, zone)}–${hourMinute(end, zone)}`;
  return isSameDay(start, now, zone) ? hours : `${day(start, zone)} ${hours}`;
}

/** A day with its year: `24 Nov 2026`. */
export function fullDay(moment: string | number, zone: string): string {
  return ofFullDay(zone).format(toTime(moment));
}

/** Hours and minutes: `13:45`. */
export function hourMinute(moment: string | number, zone: string): string {
  return ofMinute(zone).format(toTime(moment));
}

/** Everything that is known of a moment, with the zone's offset: `24 Nov 2026, 13:44:59.120 GMT+1`. */
export function exactTime(moment: string | number, zone: string): string {
  return ofMoment(zone).format(toTime(moment));
}

/** How long ago or ahead, in words: `3 minutes ago`, `in 2 days`. */
export function ago(moment: string | number, now: number): string {
  const seconds = (toTime(moment) - now) / 1000;
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  return 'now';
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 5],
] as const;

/** How to label a step of a chart, by how long steps are. */
export function stepLabel(moment: string | number, bucket: string, zone: string): string {
  return bucket === '1d' ? day(moment, zone) : hourMinute(moment, zone);
}

/** When the month began in a zone. */
export function startOfMonth(now: number, zone: string): number {
  const days = daysOf(zone);
  const today = days.at(now);
  return days.startOf(today - new Date(today * 86_400_000).getUTCDate() + 1);
}

/** When the day began in a zone. */
export function startOfDay(now: number, zone: string): number {
  const days = daysOf(zone);
  return days.startOf(days.at(now));
}

/** A moment as a field for local times takes it: `2026-11-24T13:45`. */
export function localMinute(moment: string | number, zone: string): string {
  const time = toTime(moment);
  return new Date(time + offsetsOf(zone)(time)).toISOString().slice(0, 16);
}

/** The moment that a field for local times means; of a time that clocks pass twice the earlier one. Undefined for no time. */
export function momentOf(local: string, zone: string): number | undefined {
  const asUtc = /^\d/.test(local) ? Date.parse(`${local}:00Z`) : Number.NaN;
  if (Number.isNaN(asUtc)) return undefined;
  // The offset an hour-change away may differ on both sides of the moment.
  const offsets = [asUtc - 86_400_000, asUtc + 86_400_000].map((near) => offsetsOf(zone)(near));
  const fitting = offsets.map((offset) => asUtc - offset).filter((time) => localMinute(time, zone) === local);
  return Math.min(...(fitting.length > 0 ? fitting : offsets.map((offset) => asUtc - offset)));
}

/** The local midnights that follow a moment. */
export function comingDays(now: number, zone: string, count: number): readonly number[] {
  const days = daysOf(zone);
  const today = days.at(now);
  return Array.from({ length: count }, (_, index) => days.startOf(today + index + 1));
}

function isSameDay(one: number, other: number, zone: string): boolean {
  return fullDay(one, zone) === fullDay(other, zone);
}

function toTime(moment: string | number): number {
  return typeof moment === 'number' ? moment : Date.parse(moment);
}
