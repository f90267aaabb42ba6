import { isObject } from '../util/json.ts';

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
