import { type Static, type TOptional, type TSchema, type TUnsafe, Type } from '../util/json-schema.ts';
import { alternativeTypes } from './json-types.ts';

/** Marks a schema that only documents its value: own code checks it, compiled checkers do not. */
export const handledElsewhere: unique symbol = Symbol('handled elsewhere');

const alternatives: unique symbol = Symbol('alternatives');

/** What tells the alternatives of a union apart: a member of objects, or the JSON type. */
type Union =
  | { readonly key: string; readonly kinds: Readonly<Record<string, TSchema>> }
  | { readonly schemas: readonly TSchema[] };

interface LengthBounds {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** What fits the pattern, in the words that follow "must be" in a refusal. */
  readonly description?: string;
}

interface NumberBounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

interface ListBounds {
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** A string. */
export function text(bounds: LengthBounds = {}): TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', ...bounds });
}

/** A finite number. */
export function number(bounds: NumberBounds = {}): TUnsafe<number> {
  return Type.Unsafe<number>({ type: 'number', ...bounds });
}

/** A whole number. */
export function integer(bounds: NumberBounds = {}): TUnsafe<number> {
  return Type.Unsafe<number>({ type: 'integer', ...bounds });
}

/** True or false. */
export function flag(): TUnsafe<boolean> {
  return Type.Unsafe<boolean>({ type: 'boolean' });
}

/** One of some words. */
export function choice<const Word extends string>(...words: Word[]): TUnsafe<Word> {
  return Type.Unsafe<Word>({ enum: words });
}

/** An array whose entries all fit one schema. */
export function list<Entry extends TSchema>(entry: Entry, bounds: ListBounds = {}): TUnsafe<Static<Entry>[]> {
  return Type.Unsafe<Static<Entry>[]>({ type: 'array', items: entry, ...bounds });
}

/** An object with any keys whose values all fit one schema. */
export function map<Value extends TSchema>(value: Value): TUnsafe<Record<string, Static<Value>>> {
  return Type.Unsafe<Record<string, Static<Value>>>({ type: 'object', additionalProperties: value });
}

/** Any JSON object; nobody looks inside. */
export function anyObject(): TUnsafe<Record<string, unknown>> {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object' });
}

/** A member that may be absent; null means absent too (responses.md 1.4). */
export function optional<Schema extends TSchema>(schema: Schema): TOptional<TUnsafe<Static<Schema> | null>> {
  return Type.Optional(orNull(schema));
}

/** A member that must be there but may be null. */
export function orNull<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> {
  return Type.Unsafe<Static<Schema> | null>(nullable(schema));
}

/** A member that own code checks; its schema is for the documentation. */
export function handled(schema: TSchema): TUnsafe<unknown> {
  return Type.Unsafe<unknown>({ ...schema, [handledElsewhere]: true });
}

/** Alternatives, for the documentation of values that own code tells apart. */
export function anyOf(...schemas: readonly TSchema[]): TUnsafe<unknown> {
  return Type.Unsafe<unknown>({ anyOf: schemas });
}

/** Objects of several kinds: the member `key` tells which schema holds. */
export function byKind<const Kinds extends Readonly<Record<string, TSchema>>>(
  key: string,
  kinds: Kinds,
): TUnsafe<Static<Kinds[keyof Kinds]>> {
  const union: Union = { key, kinds };
  return Type.Unsafe<Static<Kinds[keyof Kinds]>>({
    type: 'object',
    anyOf: Object.values(kinds),
    [alternatives]: union,
  });
}

/** Values of several JSON types, each with a schema of its own. */
export function byType<Schemas extends readonly TSchema[]>(
  ...schemas: Schemas
): TUnsafe<Static<Schemas[number]>> {
  const union: Union = { schemas };
  const type = schemas.flatMap(alternativeTypes);
  return Type.Unsafe<Static<Schemas[number]>>({ type, anyOf: schemas, [alternatives]: union });
}

/** What a schema's alternatives are told apart by; undefined for a schema that has none. */
export function alternativesOf(schema: object): Union | undefined {
  return (schema as { readonly [alternatives]?: Union })[alternatives];
}

function nullable(schema: TSchema): TSchema {
  const { type, enum: words, anyOf: alternatives }: Record<string, unknown> = { ...schema };
  return {
    ...schema,
    ...(type === undefined ? {} : { type: [type, 'null'].flat() }),
    ...(Array.isArray(words) ? { enum: [...words, null] } : {}),
    ...(Array.isArray(alternatives) ? { anyOf: [...alternatives, { type: 'null' }] } : {}),
  };
}
