import { nanoFromInteger } from '../core/money.ts';
import type { Permission } from '../core/roles.ts';
import { quoteAll } from '../schema/fault.ts';
import { unit, withUnit } from '../schema/units.ts';
import {
  flag,
  integer,
  list,
  marked,
  named,
  number,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnsafe,
  Type,
  text,
  word,
} from '../util/json-schema.ts';
import { isCalendarDay } from '../util/utc-windows.ts';

/** An exact amount in nano-USD, as decimal text. */
export const nano = text({ pattern: '^-?\\d+$', description: 'nano-USD, exact' });

/** The same above zero, as a body gives it. */
export const positiveNano = withUnit(
  unit('nano-USD', 'a whole number of nano-USD above zero, as text', (given) => {
    if (!/^[1-9]\d{0,18}$/.test(given)) throw new RangeError('is no whole number above zero');
    return nanoFromInteger(BigInt(given));
  }),
  text({ description: 'nano-USD: "5000000000" is 5 USD' }),
);

/** What only management keys may do (docs/spec/accounts.md#authentication). */
export const managed = (needs: Permission) =>
  ({ access: 'management', reachesDatabase: true, needs }) as const;

/** The same of one thing, which may not be there. */
export const one = (needs: Permission) => ({ ...managed(needs), failures: ['not_found'] }) as const;

const expecting = <Schema extends TSchema>(expected: string, schema: Schema) =>
  marked(schema, { wording: { expected } });

/** A number that is not negative. */
export const atLeastZero = expecting('a number, 0 or more', number({ minimum: 0 }));

/** How many entries of a list to leave out. */
export const offset = expecting(
  'a whole number, 0 or more',
  integer({ minimum: 0, maximum: 999_999_999, default: 0 }),
);

/** How many entries of a list to give, of lists of what an account has. */
export const limit = integer({ minimum: 1, maximum: 100, default: 50 });

/** True or false, in any case. */
export function queryFlag(description?: string): TUnsafe<boolean> {
  const said = description === undefined ? {} : { description };
  return withUnit(unit('flag', 'true or false', readFlag), word(['true', 'false'], said));
}

/** Some of a few words, separated by commas, in any case. */
export function queryWords<Word extends string>(
  known: readonly Word[],
  schema: TSchema,
): TUnsafe<readonly Word[]> {
  const allowed = known.length === 1 ? quoteAll(known) : `one of ${quoteAll(known)}`;
  return withUnit(
    unit('words', allowed, (text) => readWords(text, known)),
    schema,
  );
}

/** Words of a text between its commas, in lowercase. @throws RangeError for none, and for one that is not known. */
function readWords<Word extends string>(text: string, known: readonly Word[]): readonly Word[] {
  const words = splitWords(text.toLowerCase());
  if (words.length === 0 || !isEach(words, known)) throw new RangeError('is not known');
  return words;
}

/** The words of a text between its commas. */
export function splitWords(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
}

function isEach<Word extends string>(
  words: readonly string[],
  known: readonly Word[],
): words is readonly Word[] {
  return words.every((one) => known.some((other) => other === one));
}

function readFlag(text: string): boolean {
  const word = text.toLowerCase();
  if (word !== 'true' && word !== 'false') throw new RangeError('is neither true nor false');
  return word === 'true';
}

/** A parameter that is read but not documented. */
export const hidden = <Schema extends TSchema>(schema: Schema) => marked(schema, { hidden: true });

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
