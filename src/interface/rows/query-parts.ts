import { quoteAll } from '../../schema/fault.ts';
import { unit, withUnit } from '../../schema/units.ts';
import { integer, marked, number, type TSchema, type TUnsafe, word } from '../../util/json-schema.ts';

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
