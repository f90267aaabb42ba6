import type { JsonObject } from '../../core/request.ts';
import { memberPath, nameOf, quote, quoteAll, show } from './fault.ts';
import { isObject } from './kind-table.ts';

/** A fault in words: where it is, in the request's own spelling, and what is wrong and allowed there. */
export interface Fault {
  readonly path: string;
  readonly problem: string;
}

type Finder = (rule: JsonObject, value: unknown, path: string) => Fault | undefined;

/**
 * Finds the first place where a value breaks its schema. It runs only for values that a compiled validator
 * has refused already, looks at sizes before contents and stops at the first fault, so that a huge bad
 * value costs little.
 * @param path Where the value stands in the request.
 */
export function findFault(schema: unknown, value: unknown, path: string): Fault | undefined {
  if (!isObject(schema)) return undefined;
  for (const find of finders) {
    const fault = find(schema, value, path);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const finders: readonly Finder[] = [
  findWrongType,
  findWrongWord,
  findOutOfRange,
  findWrongText,
  findInList,
  findInObject,
];

function findWrongType(rule: JsonObject, value: unknown, path: string): Fault | undefined {
  const names = typeNames(rule);
  if (names.length === 0 || names.some((name) => isOfType(value, name))) return undefined;
  const numeric = names.includes('number') || names.includes('integer');
  const got = numeric && typeof value === 'number' ? value : nameOf(value);
  return { path, problem: `expected ${wordTypes(names)}, got ${got}` };
}

function findWrongWord(rule: JsonObject, value: unknown, path: string): Fault | undefined {
  if (!Array.isArray(rule.enum) || rule.enum.includes(value)) return undefined;
  return { path, problem: `must be one of ${allowedWords(rule.enum)}, got ${show(value)}` };
}

function findOutOfRange(rule: JsonObject, value: unknown, path: string): Fault | undefined {
  if (typeof value !== 'number') return undefined;
  const { minimum, maximum } = rule;
  const low = typeof minimum === 'number' && value < minimum;
  const high = typeof maximum === 'number' && value > maximum;
  if (!low && !high) return undefined;
  if (maximum === undefined) return { path, problem: `must be at least ${minimum}, got ${value}` };
  return { path, problem: `must be between ${minimum} and ${maximum}, got ${value}` };
}

function findWrongText(rule: JsonObject, value: unknown, path: string): Fault | undefined {
  if (typeof value !== 'string') return undefined;
  const { minLength, maxLength, pattern } = rule;
  if (typeof minLength === 'number' && value.length < minLength)
    return { path, problem: 'must not be empty' };
  if (typeof maxLength === 'number' && value.length > maxLength) {
    const length = countCharacters(value);
    if (length > maxLength)
      return { path, problem: `must be at most ${maxLength} characters, got ${length}` };
  }
  if (typeof pattern !== 'string' || new RegExp(pattern, 'u').test(value)) return undefined;
  return { path, problem: `must match ${pattern}, got ${quote(value)}` };
}

function findInList(rule: JsonObject, value: unknown, path: string): Fault | undefined {
  if (!Array.isArray(value)) return undefined;
  const { minItems, maxItems, items } = rule;
  if (typeof minItems === 'number' && value.length < minItems) return { path, problem: 'must not be empty' };
  if (typeof maxItems === 'number' && value.length > maxItems) {
    return { path, problem: `must have at most ${maxItems} entries, got ${value.length}` };
  }
  for (let index = 0; index < value.length; index++) {
    const fault = findFault(items, value[index], `${path}[${index}]`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function findInObject(rule: JsonObject, value: unknown, path: string): Fault | undefined {
  if (!isObject(value)) return undefined;
  const properties = isObject(rule.properties) ? rule.properties : {};
  return (
    findInMembers(properties, rule.required, value, path) ?? findInOtherMembers(rule, properties, value, path)
  );
}

function findInMembers(
  properties: JsonObject,
  required: unknown,
  value: JsonObject,
  path: string,
): Fault | undefined {
  for (const [key, schema] of Object.entries(properties)) {
    const place = memberPath(path, key);
    const member = value[key];
    if (member === undefined) {
      if (!Array.isArray(required) || !required.includes(key)) continue;
      return { path: place, problem: `is required${expectation(schema)}` };
    }
    const fault = findFault(schema, member, place);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function findInOtherMembers(
  rule: JsonObject,
  properties: JsonObject,
  value: JsonObject,
  path: string,
): Fault | undefined {
  const { additionalProperties, propertyNames, maxProperties } = rule;
  if (additionalProperties === undefined) return undefined;
  const keys = Object.keys(value);
  if (typeof maxProperties === 'number' && keys.length > maxProperties) {
    return { path, problem: `must have at most ${maxProperties} pairs, got ${keys.length}` };
  }
  for (const key of keys) {
    if (Object.hasOwn(properties, key)) continue;
    const place = memberPath(path, key);
    if (additionalProperties === false) {
      return { path: place, problem: `unknown field, allowed are ${quoteAll(Object.keys(properties))}` };
    }
    const named = findFault(propertyNames, key, path);
    if (named !== undefined) return { path, problem: `key ${quote(key)} ${named.problem}` };
    const fault = findFault(additionalProperties, value[key], place);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function expectation(schema: unknown): string {
  if (!isObject(schema)) return '';
  if (Array.isArray(schema.enum)) return `, one of ${allowedWords(schema.enum)}`;
  const names = typeNames(schema);
  return names.length === 0 ? '' : `, expected ${wordTypes(names)}`;
}

function allowedWords(words: readonly unknown[]): string {
  return quoteAll(words.filter((word) => typeof word === 'string'));
}

function typeNames(rule: JsonObject): readonly string[] {
  return [rule.type].flat().filter((name) => typeof name === 'string');
}

/** Null stays unsaid: it is only another way to leave a member out. */
function wordTypes(names: readonly string[]): string {
  const said = names.filter((name) => name !== 'null');
  return said.map((name) => (/^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`)).join(' or ');
}

function isOfType(value: unknown, name: string): boolean {
  switch (name) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === name;
  }
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}
