import type { JsonObject } from '../../util/json.ts';

/** Any string. */
export const string = { type: 'string' };
/** A whole number. */
export const integer = { type: 'integer' };
/** A number. */
export const number = { type: 'number' };
/** True or false. */
export const flag = { type: 'boolean' };
/** A value of a type, or null. */
export const nullable = (type: string) => ({ type: [type, 'null'] });
/** A list of values of one schema. */
export const listOf = (items: JsonObject) => ({ type: 'array', items });
/** One of some words. */
export const words = (...values: string[]) => ({ type: 'string', enum: values });
/** A reference to a named schema. */
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/**
 * An object with these members.
 * @param required The names of those always there; by default all but those whose name ends with a question mark.
 */
export function object(
  members: Readonly<Record<string, JsonObject>>,
  required: readonly string[] = Object.keys(members).filter((name) => !name.endsWith('?')),
): JsonObject {
  const properties = Object.entries(members).map(([name, schema]) => [name.replace('?', ''), schema]);
  return { type: 'object', required, properties: Object.fromEntries(properties) };
}

/** What a key spent in each window, under a name. */
export function spendWindows(name: string): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(['', '_daily', '_weekly', '_monthly'].map((window) => [name + window, number]));
}
