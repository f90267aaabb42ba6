import { isObject, type JsonObject } from '../../util/json.ts';

/**
 * A checked object whose null members are gone: null on an optional field means omitted
 * (docs/spec/requests.md#null-members).
 */
export type WithoutNulls<Value> = { [Key in keyof Value]: Exclude<Value[Key], null> };

/** Leaves out the null members of an object; nested objects stay as they are. */
export function withoutNulls<Value extends object>(value: Value): WithoutNulls<Value> {
  const present = Object.entries(value).filter(([, member]) => member !== null);
  // fromEntries defines members, so that a key named __proto__ stays an ordinary key.
  return Object.fromEntries(present) as WithoutNulls<Value>;
}

/** Leaves out the null members of JSON at every depth of its objects. */
export function withoutNullsDeep(value: JsonObject): JsonObject {
  const present = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(present.map(([key, member]) => [key, deep(member)]));
}

function deep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deep);
  return isObject(value) ? withoutNullsDeep(value) : value;
}

/**
 * Takes the members named out of an object, without those that are null: a body may hold any number of
 * members that nobody here knows.
 */
export function pickPresent<Value extends object>(
  value: Value,
  keys: readonly (keyof Value)[],
): WithoutNulls<Value> {
  const present: Partial<Value> = {};
  for (const key of keys) {
    const member = value[key];
    if (member !== undefined && member !== null) present[key] = member;
  }
  return present as WithoutNulls<Value>;
}
