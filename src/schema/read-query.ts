import { marksOf, type Static, type TSchema } from '../util/json-schema.ts';
import { describeAllowed } from './describe-allowed.ts';
import { malformed, quoteAll } from './fault.ts';
import { readText } from './read-text.ts';

/** Parameters as they were sent; those given several times as arrays. */
export type RawQuery = Readonly<Record<string, unknown>>;

/**
 * Compiles an object schema into a reader of queries. Parameters the schema does not know are ignored, empty ones
 * count as absent. A default of a member that is not optional is filled in.
 * @returns A reader that throws HeadgateError `invalid_request` naming the first parameter that does not fit.
 */
export function createQueryReader<Schema extends TSchema>(
  schema: Schema,
): (query: RawQuery) => Static<Schema> {
  const members = Object.entries(schema.properties ?? {});
  return (query) => {
    const read: Record<string, unknown> = {};
    for (const [name, member] of members) {
      const value = readParameter(name, member, query[name]);
      if (value !== undefined) read[name] = value;
    }
    return read as Static<Schema>;
  };
}

function readParameter(name: string, schema: TSchema, raw: unknown): unknown {
  const given = raw === '' ? undefined : raw;
  const { optional, wording } = marksOf(schema);
  if (given === undefined && optional === true) return undefined;
  const text = given ?? schema.default;
  if (text === undefined) throw malformed(name, wording?.missing ?? 'is required');
  if (Array.isArray(text)) throw malformed(name, 'give it once');
  return readWritten(name, schema, String(text));
}

/** Neither signs nor exponents: what this accepts is read alike everywhere. */
const plainNumber = /^\d{1,15}(\.\d{1,12})?$/;

function readWritten(name: string, schema: TSchema, text: string): unknown {
  const isNumber = schema.type === 'integer' || schema.type === 'number';
  if (isNumber && !plainNumber.test(text)) throw malformed(name, `expected ${expectation(schema)}`);
  const read = readText(schema, { raw: text, text, untyped: true });
  if ('value' in read) return read.value;
  const { unit } = marksOf(schema);
  throw malformed(name, `expected ${unit?.allowed ?? expectation(schema)}`);
}

function expectation(schema: TSchema): string {
  const { wording } = marksOf(schema);
  if (wording?.expected !== undefined) return wording.expected;
  const { enum: words } = schema;
  if (words === undefined) return describeAllowed(schema);
  const quoted = quoteAll(words.map(String));
  return words.length === 1 ? quoted : `one of ${quoted}`;
}
