/** Times in one form, in the zone that is asked for. Each zone's formatter is made once, because making one is slow. */
function formatOf(options: Intl.DateTimeFormatOptions): (zone: string) => Intl.DateTimeFormat {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (zone) => {
    let found = formats.get(zone);
    if (found === undefined) {
      found = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', ...options });
      formats.set(zone, found);
    }
    return found;
  };
}

const ofSecond = formatOf({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
const ofMinute = formatOf({ hour: '2-digit', minute: '2-digit' });
const ofHour = formatOf({ hour: '2-digit' });
const ofDay = formatOf({ day: 'numeric', month: 'short' });
const ofDayOnly = formatOf({ day: 'numeric' });
const ofFullDay = formatOf({ day: 'numeric', month: 'short', year: 'numeric' });
const ofNumbers = formatOf({
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});
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
  const date = Number(ofDayOnly(zone).format(now));
  let guess = startOfDay(now, zone);
  // Day by day: months begin at a local midnight, whatever clocks did in between.
  for (let left = date - 1; left > 0; left -= 1) guess = startOfDay(guess - 3_600_000, zone);
  return guess;
}

/** The last local midnight. */
export function startOfDay(now: number, zone: string): number {
  const parts = ofSecond(zone).formatToParts(now);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value ?? 0);
  const since = (part('hour') * 3600 + part('minute') * 60 + part('second')) * 1000 + (now % 1000);
  const guess = now - since;
  // Where clocks changed since midnight, the guess is an hour off.
  const rest = ofHour(zone).format(guess);
  return rest === '00' ? guess : guess + (rest === '23' ? 3_600_000 : -3_600_000);
}

/** A moment as a field for local times takes it: `2026-11-24T13:45`. */
export function localMinute(moment: string | number, zone: string): string {
  const time = toTime(moment);
  return new Date(time + offsetOf(time, zone)).toISOString().slice(0, 16);
}

/** The moment that a field for local times means; of a time that clocks pass twice the earlier one. Undefined for no time. */
export function momentOf(local: string, zone: string): number | undefined {
  const asUtc = /^\d/.test(local) ? Date.parse(`${local}:00Z`) : Number.NaN;
  if (Number.isNaN(asUtc)) return undefined;
  // The offset an hour-change away may differ on both sides of the moment.
  const offsets = [asUtc - 86_400_000, asUtc + 86_400_000].map((near) => offsetOf(near, zone));
  const fitting = offsets.map((offset) => asUtc - offset).filter((time) => localMinute(time, zone) === local);
  return Math.min(...(fitting.length > 0 ? fitting : offsets.map((offset) => asUtc - offset)));
}

/** What clocks of a zone are ahead of UTC, in milliseconds. */
function offsetOf(time: number, zone: string): number {
  const parts = ofNumbers(zone).formatToParts(time);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value ?? 0);
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return local - Math.floor(time / 1000) * 1000;
}

/** The local midnights that follow a moment. */
export function comingDays(now: number, zone: string, days: number): readonly number[] {
  const found: number[] = [];
  let at = startOfDay(now, zone);
  // Days have 23 to 25 hours, so 30 hours after a midnight it is the next day everywhere.
  for (let left = days; left > 0; left -= 1) {
    at = startOfDay(at + 30 * 3_600_000, zone);
    found.push(at);
  }
  return found;
}

function isSameDay(one: number, other: number, zone: string): boolean {
  return fullDay(one, zone) === fullDay(other, zone);
}

function toTime(moment: string | number): number {
  return typeof moment === 'number' ? moment : Date.parse(moment);
}
