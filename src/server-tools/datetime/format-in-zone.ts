/**
 * A moment as ISO 8601 with milliseconds and the offset of a time zone; `Z` for UTC.
 * @param at Unix milliseconds. @param zone An IANA name. @throws RangeError for another name.
 */
export function formatInZone(at: number, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(at);
  const get = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  const milliseconds = ((at % 1000) + 1000) % 1000;
  const local = Date.UTC(
    get('year'),
    get('month') - 1,
    get('day'),
    get('hour'),
    get('minute'),
    get('second'),
  );
  const minutes = Math.round((local + milliseconds - at) / 60_000);
  const text = new Date(local + milliseconds).toISOString().slice(0, -1);
  if (minutes === 0 && isUniversal(zone)) return `${text}Z`;
  const sign = minutes < 0 ? '-' : '+';
  const size = Math.abs(minutes);
  return `${text}${sign}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
}

function isUniversal(zone: string): boolean {
  return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone === 'UTC';
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
