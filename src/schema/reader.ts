import { isObject } from '../util/json.ts';
import { marked, marksOf, type Static, type TSchema } from '../util/json-schema.ts';
import { type Checker, createChecker } from './checker.ts';

/**
 * Compiles a schema into a checker that also reads values in units: an amount, a time. The value it returns is what
 * `Static` says of the schema.
 */
export function createReader<Schema extends TSchema>(schema: Schema): Checker<Static<Schema>> {
  const check = createChecker(schema);
  const convert = compileUnits(schema);
  if (convert === undefined) return check;
  return (value, path) => convert(check(value, path)) as Static<Schema>;
}

/**
 * Compiles an object schema into a reader of single members, for bodies whose rules hold in an order of their own.
 * @returns A reader that throws HeadgateError `invalid_request` naming the member; undefined for an absent one.
 */
export function createMemberReader<Schema extends TSchema>(schema: Schema) {
  const { secret } = marksOf(schema);
  const readers = new Map(
    Object.entries(schema.properties ?? {}).map(([name, member]) => [
      name,
      createReader(marked(member, { secret })),
    ]),
  );
  return <Name extends keyof Static<Schema> & string>(
    body: Readonly<Record<string, unknown>>,
    name: Name,
  ): Static<Schema>[Name] | undefined => {
    const value = body[name];
    return value === undefined ? undefined : (readers.get(name)?.(value, name) as Static<Schema>[Name]);
  };
}

function compileUnits(schema: TSchema): ((value: unknown) => unknown) | undefined {
  const { unit } = marksOf(schema);
  if (unit !== undefined) return (value) => (value === null ? null : unit.read(String(value)));
  const convertEntry = schema.items && compileUnits(schema.items);
  if (convertEntry !== undefined) {
    return (value) => (Array.isArray(value) ? value.map((entry: unknown) => convertEntry(entry)) : value);
  }
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const convert = marksOf(member).handled === true ? undefined : compileUnits(member);
    return convert === undefined ? [] : [[name, convert] as const];
  });
  if (members.length === 0) return undefined;
  return (value) => {
    if (!isObject(value)) return value;
    const read = members.filter(([name]) => value[name] !== undefined);
    return { ...value, ...Object.fromEntries(read.map(([name, convert]) => [name, convert(value[name])])) };
  };
}
