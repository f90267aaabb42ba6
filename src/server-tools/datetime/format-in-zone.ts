import { zoneName, zoneOffsets } from '../../util/local-days.ts';

/**
 * A moment as ISO 8601 with milliseconds and the offset of a time zone; `Z` for UTC.
 * @param at Unix milliseconds. @param zone An IANA name. @throws RangeError for another name.
 */
export function formatInZone(at: number, zone: string): string {
  const offset = zoneOffsets(zone)(at);
  const minutes = Math.round(offset / 60_000);
  const text = new Date(at + offset).toISOString().slice(0, -1);
  if (minutes === 0 && zoneName(zone) === 'UTC') return `${text}Z`;
  const sign = minutes < 0 ? '-' : '+';
  const size = Math.abs(minutes);
  return `${text}${sign}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
