import { isObject, type JsonObject } from '../util/json.ts';

/** The JSON types a schema's `type` keyword names. */
export function typeNames(schema: JsonObject): readonly string[] {
  return [schema.type].flat().filter((name) => typeof name === 'string');
}

/** The JSON types of an alternative of a union; words are strings. */
export function alternativeTypes(schema: JsonObject): readonly string[] {
  const names = typeNames(schema);
  return names.length === 0 && schema.enum !== undefined ? ['string'] : names;
}

/** Types with their articles for a message. Null stays unsaid: it is only another way to leave a member out. */
export function wordTypes(names: readonly string[]): string {
  const said = names.filter((name) => name !== 'null');
  return said.map((name) => (/^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`)).join(' or ');
}

/** Whether values are of a JSON type. */
export function typeTest(name: string): (value: unknown) => boolean {
  switch (name) {
    case 'null':
      return (value) => value === null;
    case 'array':
      return (value) => Array.isArray(value);
    case 'object':
      return isObject;
    case 'integer':
      return (value) => Number.isInteger(value);
    case 'number':
      return (value) => Number.isFinite(value);
    case 'string':
      return (value) => typeof value === 'string';
    default:
      return (value) => typeof value === 'boolean';
  }
}
