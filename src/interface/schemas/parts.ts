import { unit, withUnit } from '../../schema/units.ts';
import {
  flag,
  integer,
  list,
  named,
  number,
  type TOptional,
  type TProperties,
  type TSchema,
  Type,
  text,
} from '../../util/json-schema.ts';
import { isCalendarDay } from '../../util/utc-windows.ts';

/** Keywords of an object that takes no members but its own. */
export const closed = { additionalProperties: false } as const;

/** The answer `{ data }` about one thing, named after it. */
export const answerOf = <Schema extends TSchema>(name: string, schema: Schema) =>
  named(name, Type.Object({ data: schema }));

/** A page of things, and how many there are where that is known. */
export const pageOf = <Schema extends TSchema>(name: string, schema: Schema) =>
  named(name, Type.Object({ data: list(schema), total_count: Type.Optional(integer()) }));

/** A point in time, read as Unix milliseconds. */
export const moment = withUnit(unit('time', 'a time in UTC', readTime), text());

/** What a deletion answers. */
export const Deleted = named('Deleted', Type.Object({ deleted: flag() }));

/** What a key spent in each window. */
export const usageWindows = {
  usage: number(),
  usage_daily: number(),
  usage_weekly: number(),
  usage_monthly: number(),
};

/** The same of calls with an account's own credentials. */
export const byokUsageWindows = {
  byok_usage: number(),
  byok_usage_daily: number(),
  byok_usage_weekly: number(),
  byok_usage_monthly: number(),
};

/** The same members, each of which may be left out. */
export function allOptional<Members extends TProperties>(members: Members) {
  const entries = Object.entries(members).map(([name, schema]) => [name, Type.Optional(schema)]);
  return Object.fromEntries(entries) as { [Name in keyof Members]: TOptional<Members[Name]> };
}

/** Unix milliseconds. */
function readTime(value: string): number {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time) || !isCalendarDay(value.slice(0, 10))) {
    throw new RangeError('write it as 2030-01-31T23:59:59Z, in UTC with seconds');
  }
  return time;
}
