declare const staticType: unique symbol;
declare const optionalMember: unique symbol;
const optionalMark: unique symbol = Symbol('optional');

/** A JSON Schema. What it says is plain data; what TypeScript knows of its values is a type only. */
export interface TSchema {
  readonly [keyword: string]: unknown;
}

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

/**
 * Builds JSON Schemas together with the types of their values. Stands in for a schema library: all we need of
 * one is this page, and the one we had cost a quarter of the idle server's memory (decision record 0006).
 */
export const Type = {
  /** A schema as given, for values of a type the caller vouches for. */
  Unsafe: <Value>(schema: object): TUnsafe<Value> => schema as TUnsafe<Value>,

  Optional: <Schema extends TSchema>(schema: Schema): TOptional<Schema> =>
    ({ ...schema, [optionalMark]: true }) as unknown as TOptional<Schema>,

  Object: <Properties extends TProperties>(
    properties: Properties,
    options: object = {},
  ): TUnsafe<StaticObject<Properties>> => {
    const required = Object.keys(properties).filter((key) => !isOptional(properties[key]));
    const demanded = required.length === 0 ? {} : { required };
    return Type.Unsafe({ type: 'object', ...demanded, properties, ...options });
  },

  Record: <Value extends TSchema>(
    key: TSchema,
    value: Value,
    options: object = {},
  ): TUnsafe<Record<string, Static<Value>>> =>
    Type.Unsafe({
      type: 'object',
      patternProperties: { [String(key.pattern ?? '^.*$')]: value },
      ...options,
    }),

  Array: <Item extends TSchema>(items: Item, options: object = {}): TUnsafe<Static<Item>[]> =>
    Type.Unsafe({ type: 'array', items, ...options }),

  String: (options: object = {}): TUnsafe<string> => Type.Unsafe({ type: 'string', ...options }),
  Number: (options: object = {}): TUnsafe<number> => Type.Unsafe({ type: 'number', ...options }),
  Integer: (options: object = {}): TUnsafe<number> => Type.Unsafe({ type: 'integer', ...options }),
  Boolean: (options: object = {}): TUnsafe<boolean> => Type.Unsafe({ type: 'boolean', ...options }),
  Null: (): TUnsafe<null> => Type.Unsafe({ type: 'null' }),
  Unknown: (): TUnsafe<unknown> => Type.Unsafe({}),
} as const;

function isOptional(schema: TSchema | undefined): boolean {
  return schema !== undefined && optionalMark in schema;
}
