/** A point in time, Unix milliseconds, as ISO 8601 in UTC: `2030-01-31T23:59:59.000Z`. */
export function isoTime(time: number): string {
  return new Date(time).toISOString();
}

/** The same for a time that may be absent. */
export function isoTimeOrNull(time: number | null): string | null {
  return time === null ? null : isoTime(time);
}
