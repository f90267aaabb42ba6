import { type Verdict, verdicts } from '../../ports/feedback.ts';
import { type SqlStatement, sql } from './statement.ts';

/** A flag as the integer every engine stores. */
export function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

/** A flag as stored, or null where there is none. */
export function flagOrNull(value: boolean | undefined): 0 | 1 | null {
  return value === undefined ? null : flag(value);
}

/** A stored flag as a boolean. */
export function isSet(stored: bigint): boolean {
  return stored !== 0n;
}

/** A stored time or count, or null, as a number. */
export function numberOrNull(stored: bigint | null): number | null {
  return stored === null ? null : Number(stored);
}

/** UTC days since 1970, without the last one; undefined is without end. */
export interface Days {
  readonly first: number | undefined;
  readonly end: number | undefined;
}

/** A condition on a column `day`. */
export function within({ first, end }: Days): SqlStatement {
  const from = first === undefined ? sql`` : sql`and day >= ${first}`;
  return end === undefined ? sql`1 = 1 ${from}` : sql`day < ${end} ${from}`;
}

/** A quarter of an hour in milliseconds. */
export const quarterLength = 900_000;

/** Quarters of an hour in a UTC day. */
export const quartersInDay = 96;

/** SQL that finds a row while what keys spend is summed by quarter of an hour too (`key_spend_quarters`). */
export const keepsQuarters = "select 1 from limit_calendar where time_zone <> 'UTC' limit 1";

/** How a verdict is stored: -1, 0 or 1. */
export function verdictNumber(verdict: Verdict): number {
  return verdicts.indexOf(verdict) - 1;
}
