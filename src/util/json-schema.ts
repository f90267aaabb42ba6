import type { JsonObject } from './json.ts';

declare const staticType: unique symbol;
declare const optionalMember: unique symbol;

/**
 * What our own readers know of a schema besides its keywords. Kept under a symbol, so that it is never written to a
 * document.
 */
export interface SchemaMarks {
  /** A member that may be absent. */
  readonly optional?: true;
  /** The schema only documents its value: other code checks it, compiled checkers do not. */
  readonly handled?: true;
  /** What distinguishes the alternatives of a union. */
  readonly union?: Union;
  /** How text becomes a value. */
  readonly unit?: Unit;
  /** The value is never shown, logged or repeated in a message. */
  readonly secret?: true;
  /** Read but not documented. */
  readonly hidden?: true;
  /** The schema's name in a document, which then refers to it by this name. */
  readonly name?: string;
  /** What messages say instead of the words derived from the keywords. */
  readonly wording?: Wording;
}

/** Alternatives distinguished by a member of objects, or by the JSON type. */
export type Union =
  | { readonly key: string; readonly kinds: Readonly<Record<string, TSchema>> }
  | { readonly schemas: readonly TSchema[] };

/** How a value that is written as text is read. */
export interface Unit<Value = unknown> {
  readonly name: string;
  /** What may be written, for messages. */
  readonly allowed: string;
  /** The value of a text. @throws RangeError when it cannot be this unit. */
  read(text: string): Value;
  /** The value as somebody could have written it; the value itself where that is absent. */
  format?(value: Value): string;
}

/** Words of messages about one schema. */
export interface Wording {
  /** Follows "expected". */
  readonly expected?: string;
  /** Follows "must be", about text that does not match the pattern. */
  readonly form?: string;
  /** Said where the value is absent. */
  readonly missing?: string;
  /** Said of an array without elements. */
  readonly empty?: string;
  /** Said of a member that the schema does not know. */
  readonly unknown?: string;
}

const marks: unique symbol = Symbol('marks');

/** A JSON Schema: the keywords we use, and our own marks. What TypeScript knows of its values is a type only. */
export type TSchema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: TProperties;
  readonly required?: readonly string[];
  readonly additionalProperties?: TSchema | boolean;
  readonly propertyNames?: TSchema;
  readonly maxProperties?: number;
  readonly items?: TSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly oneOf?: readonly TSchema[];
  readonly anyOf?: readonly TSchema[];
  readonly discriminator?: object;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly [marks]?: SchemaMarks;
};

/** The keywords of a schema that a builder does not set itself. */
type Keywords = Omit<TSchema, typeof marks>;

/** A schema whose values are `Value`. */
export type TUnsafe<Value> = TSchema & { readonly [staticType]: Value };

/** A schema of an object's member that may be absent. */
export type TOptional<Schema extends TSchema> = Schema & { readonly [optionalMember]: true };

/** The members of an object schema. */
export type TProperties = Readonly<Record<string, TSchema>>;

/** The values a schema admits. */
export type Static<Schema> = Schema extends { readonly [staticType]: infer Value } ? Value : unknown;

type OptionalKey<Properties> = {
  [Key in keyof Properties]: Properties[Key] extends { readonly [optionalMember]: true } ? Key : never;
}[keyof Properties];

type StaticObject<Properties> = Flat<
  { [Key in Exclude<keyof Properties, OptionalKey<Properties>>]: Static<Properties[Key]> } & {
    [Key in OptionalKey<Properties>]?: Static<Properties[Key]>;
  }
>;

type Flat<Value> = { [Key in keyof Value]: Value[Key] };

/** What is known of a schema besides its keywords. */
export function marksOf(schema: TSchema): SchemaMarks {
  return schema[marks] ?? {};
}

/** The same schema with further marks. */
export function marked<Schema extends TSchema>(schema: Schema, more: SchemaMarks): Schema {
  return { ...schema, [marks]: { ...schema[marks], ...more } };
}

/**
 * Builds JSON Schemas together with the types of their values. Replaces a schema library: this page is all we need of
 * one, and the library took a quarter of the idle server's memory (decision record 0030).
 */
export const Type = {
  /** A schema as given, for values of a type the caller vouches for. */
  Unsafe: <Value>(schema: Keywords): TUnsafe<Value> => schema as TUnsafe<Value>,

  /** A member that may be absent. */
  Optional: <Schema extends TSchema>(schema: Schema): TOptional<Schema> =>
    marked(schema, { optional: true }) as TOptional<Schema>,

  /** An object with these members; those that are not optional are required. */
  Object: <Properties extends TProperties>(
    properties: Properties,
    keywords: Keywords = {},
  ): TUnsafe<StaticObject<Properties>> => {
    const required = Object.entries(properties).filter(([, member]) => marksOf(member).optional !== true);
    const demanded = required.length === 0 ? {} : { required: required.map(([key]) => key) };
    return Type.Unsafe({ type: 'object', ...demanded, properties, ...keywords });
  },

  Null: (): TUnsafe<null> => Type.Unsafe({ type: 'null' }),
  Unknown: (): TUnsafe<unknown> => Type.Unsafe({}),
} as const;

/** A string. */
export function text(keywords: Keywords = {}): TUnsafe<string> {
  return Type.Unsafe({ type: 'string', ...keywords });
}

/** A finite number. */
export function number(keywords: Keywords = {}): TUnsafe<number> {
  return Type.Unsafe({ type: 'number', ...keywords });
}

/** A whole number. */
export function integer(keywords: Keywords = {}): TUnsafe<number> {
  return Type.Unsafe({ type: 'integer', ...keywords });
}

/** True or false. */
export function flag(keywords: Keywords = {}): TUnsafe<boolean> {
  return Type.Unsafe({ type: 'boolean', ...keywords });
}

/** One of some words. A refusal of any other value lists them. */
export function choice<const Word extends string>(...words: Word[]): TUnsafe<Word> {
  return Type.Unsafe({ enum: words });
}

/** A string that is one of some words. A refusal of a value that is not a string says so. */
export function word<const Words extends readonly string[]>(
  words: Words,
  keywords: Keywords = {},
): TUnsafe<Words[number]> {
  return Type.Unsafe({ type: 'string', enum: words, ...keywords });
}

/** An array whose entries all fit one schema. */
export function list<Entry extends TSchema>(
  entry: Entry,
  keywords: Keywords = {},
): TUnsafe<readonly Static<Entry>[]> {
  return Type.Unsafe({ type: 'array', items: entry, ...keywords });
}

/** An object with any keys whose values all fit one schema. */
export function map<Value extends TSchema>(
  value: Value,
  keywords: Keywords = {},
): TUnsafe<Readonly<Record<string, Static<Value>>>> {
  return Type.Unsafe({ type: 'object', additionalProperties: value, ...keywords });
}

/** Any JSON object, with unchecked members. */
export function anyObject(): TUnsafe<JsonObject> {
  return Type.Unsafe({ type: 'object' });
}

/** A member that may be absent; null means absent too (docs/spec/requests.md#null-members). */
export function optional<Schema extends TSchema>(schema: Schema): TOptional<TUnsafe<Static<Schema> | null>> {
  return Type.Optional(orNull(schema));
}

/** A member that must be there but may be null. One with a name keeps it in documents; only `handled` members have one. */
export function orNull<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> {
  if (marksOf(schema).name !== undefined) return Type.Unsafe({ anyOf: [schema, Type.Null()] });
  const { type, enum: words, anyOf: alternatives } = schema;
  return {
    ...schema,
    ...(type === undefined ? {} : { type: [type, 'null'].flat() }),
    ...(words === undefined ? {} : { enum: [...words, null] }),
    ...(alternatives === undefined ? {} : { anyOf: [...alternatives, { type: 'null' }] }),
  } as unknown as TUnsafe<Static<Schema> | null>;
}

/** A value of a schema, or null, as two alternatives: for schemas with a name. */
export function nullOr<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> {
  return Type.Unsafe({ oneOf: [schema, Type.Null()] });
}

/** A member that other code checks; its schema is for the documentation. */
export function handled(schema: TSchema): TUnsafe<unknown> {
  return marked(schema, { handled: true }) as TUnsafe<unknown>;
}

/** Alternatives, for the documentation of values that other code distinguishes. */
export function anyOf(...schemas: readonly TSchema[]): TUnsafe<unknown> {
  return Type.Unsafe({ anyOf: schemas });
}

/** Objects of several kinds: the member `key` decides which schema applies. */
export function byKind<const Kinds extends Readonly<Record<string, TSchema>>>(
  key: string,
  kinds: Kinds,
): TUnsafe<Static<Kinds[keyof Kinds]>> {
  const schema = Type.Unsafe<Static<Kinds[keyof Kinds]>>({ type: 'object', anyOf: Object.values(kinds) });
  return marked(schema, { union: { key, kinds } });
}

/** Values of several JSON types, each with a schema of its own. */
export function byType<Schemas extends readonly TSchema[]>(
  ...schemas: Schemas
): TUnsafe<Static<Schemas[number]>> {
  const type = schemas.flatMap(alternativeTypes);
  return marked(Type.Unsafe<Static<Schemas[number]>>({ type, anyOf: schemas }), { union: { schemas } });
}

/** A schema with a name in documents. */
export function named<Schema extends TSchema>(name: string, schema: Schema): Schema {
  return marked(schema, { name });
}

/** The JSON types a schema's `type` keyword names. */
export function typeNames(schema: TSchema): readonly string[] {
  return [schema.type ?? []].flat();
}

/** The JSON types of an alternative of a union; words are strings. */
export function alternativeTypes(schema: TSchema): readonly string[] {
  const names = typeNames(schema);
  return names.length === 0 && schema.enum !== undefined ? ['string'] : names;
}
