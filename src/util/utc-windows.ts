/** A UTC minute in milliseconds. */
export const minuteLength = 60_000;

/** A UTC day in milliseconds. */
export const dayLength = 86_400_000;

/** The UTC day of a moment, counted from 1970-01-01. `moment` is in Unix milliseconds. */
export function utcDay(moment: number): number {
  return Math.floor(moment / dayLength);
}

/** The UTC month of a UTC day, counted from January of the year 0; both days and months can be compared. */
export function utcMonth(day: number): number {
  const date = new Date(day * dayLength);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** "2026-11" for a UTC month counted from January of the year 0. */
export function monthName(month: number): string {
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
}

/** "2026-11-18" for a UTC day counted from 1970-01-01. */
export function dayName(day: number): string {
  const date = new Date(day * dayLength);
  return Number.isNaN(date.getTime()) ? `day ${day}` : date.toISOString().slice(0, 10);
}

/** Whether a text such as 2028-02-29 is a day of the calendar; the runtime reads 2027-02-30 as March 2. */
export function isCalendarDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(`${text}T`);
}
