/** What the clocks of a zone are ahead of UTC at a moment, both in milliseconds. */
export type OffsetAt = (moment: number) => number;

/** Days of a zone, each counted by its date from 1970-01-01. Moments are Unix milliseconds. */
export interface LocalDays {
  /** The day that holds a moment. */
  readonly at: (moment: number) => number;
  /** The first moment of a day: midnight, or what follows where clocks leave midnight out. */
  readonly startOf: (day: number) => number;
}

const dayLength = 86_400_000;
/** Every clock change of our time lies at a whole quarter of an hour of UTC. */
const quarter = 900_000;

/**
 * The days of a zone of the IANA database; they have 23 to 25 hours.
 * @throws RangeError for an unknown zone.
 */
export function localDays(zone: string): LocalDays {
  const offsetAt = zoneOffsets(zone);
  const startOf = (day: number) => startOfDay(day, offsetAt);
  return {
    at: (moment) => {
      const day = Math.floor((moment + offsetAt(moment)) / dayLength);
      // Clocks that were set back over midnight show the day before for a while.
      return moment < startOf(day + 1) ? day : day + 1;
    },
    startOf,
  };
}

/**
 * The offsets of a zone of the IANA database.
 * @throws RangeError for an unknown zone.
 */
export function zoneOffsets(zone: string): OffsetAt {
  if (zone === 'UTC') return () => 0;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (moment) => {
    const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
    const date = Date.UTC(part('year'), part('month') - 1, part('day'));
    const time = ((part('hour') % 24) * 60 + part('minute')) * 60 + part('second');
    return date + time * 1000 - Math.floor(moment / 1000) * 1000;
  };
}

/**
 * The name of a zone in the usual letters: `UTC` for all names of it, else the one that was written, for runtimes disagree on
 * which of `Asia/Kolkata` and `Asia/Calcutta` is the older. Undefined for what is no zone of the IANA database.
 */
export function zoneName(zone: string): string | undefined {
  // Offsets such as "+05:30" are no names, and know no summer.
  if (!/^[a-z]/i.test(zone)) return undefined;
  try {
    const { timeZone: known } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
    return known === 'UTC' || known.toLowerCase() === zone.toLowerCase() ? known : zone;
  } catch {
    return undefined;
  }
}

function startOfDay(day: number, offsetAt: OffsetAt): number {
  const midnight = day * dayLength;
  const before = midnight - offsetAt(midnight - dayLength);
  if (midnight - offsetAt(before) === before) return before;
  const after = midnight - offsetAt(midnight + dayLength);
  if (midnight - offsetAt(after) === after) return after;
  // Clocks were set forward over midnight: the day begins where they were.
  let start = Math.max(before, after);
  while (start - quarter + offsetAt(start - quarter) >= midnight) start -= quarter;
  return start;
}
