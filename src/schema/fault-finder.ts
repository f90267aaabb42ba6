import { isObject, type JsonObject } from '../util/json.ts';
import { nameOf, quote, quoteAll, show } from './fault.ts';
import { type Fault, type FaultFinder, fault, within } from './found-fault.ts';
import { typeNames, typeTest, wordTypes } from './json-types.ts';
import { handledElsewhere } from './schema.ts';
import { unionRule } from './union-rule.ts';

/**
 * Compiles a schema into a finder, once. It looks at sizes before contents and stops at the first fault, so
 * that a huge bad value costs little; a path is only put together once a fault is found. Members that own
 * code checks are passed over, absent ones too.
 */
export function compileFaultFinder(schema: unknown): FaultFinder | undefined {
  if (!isObject(schema)) return undefined;
  const rules = [
    typeRule(schema),
    wordRule(schema),
    rangeRule(schema),
    textRule(schema),
    listRule(schema),
    objectRule(schema),
    unionRule(schema, compileFaultFinder),
  ].filter((rule) => rule !== undefined);
  if (rules.length === 0) return undefined;
  return (value) => {
    for (const rule of rules) {
      const fault = rule(value);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

function typeRule(schema: JsonObject): FaultFinder | undefined {
  const names = typeNames(schema);
  const tests = names.map(typeTest);
  const [first, second] = tests;
  if (first === undefined) return undefined;
  const numeric = names.includes('number') || names.includes('integer');
  return (value) => {
    if (first(value) || second?.(value) === true || tests.some((test) => test(value))) return undefined;
    const got = numeric && typeof value === 'number' ? value : nameOf(value);
    return fault(`expected ${wordTypes(names)}, got ${got}`);
  };
}

function wordRule(schema: JsonObject): FaultFinder | undefined {
  const words = schema.enum;
  if (!Array.isArray(words)) return undefined;
  return (value) =>
    words.includes(value) ? undefined : fault(`must be one of ${allowedWords(words)}, got ${show(value)}`);
}

function rangeRule({ minimum, maximum }: JsonObject): FaultFinder | undefined {
  if (minimum === undefined && maximum === undefined) return undefined;
  const low = typeof minimum === 'number' ? minimum : Number.NEGATIVE_INFINITY;
  const high = typeof maximum === 'number' ? maximum : Number.POSITIVE_INFINITY;
  const bounds = maximum === undefined ? `at least ${minimum}` : `between ${minimum} and ${maximum}`;
  return (value) => {
    if (typeof value !== 'number' || (value >= low && value <= high)) return undefined;
    return fault(`must be ${bounds}, got ${value}`);
  };
}

function textRule({ minLength = 0, maxLength, pattern, description }: JsonObject): FaultFinder | undefined {
  if (minLength === 0 && maxLength === undefined && pattern === undefined) return undefined;
  const shortest = Number(minLength);
  const longest = typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY;
  const shape = typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined;
  const demand = description === undefined ? `match ${pattern}` : `be ${description}`;
  return (value) => {
    if (typeof value !== 'string') return undefined;
    if (value.length < shortest) {
      return fault(
        value === '' ? 'must not be empty' : `must be at least ${shortest} characters, got ${value.length}`,
      );
    }
    if (value.length > longest) {
      const length = countCharacters(value);
      if (length > longest) return fault(`must be at most ${longest} characters, got ${length}`);
    }
    if (shape?.test(value) === false) return fault(`must ${demand}, got ${quote(value)}`);
    return undefined;
  };
}

function listRule({ minItems = 0, maxItems, items }: JsonObject): FaultFinder | undefined {
  const least = Number(minItems);
  const most = typeof maxItems === 'number' ? maxItems : Number.POSITIVE_INFINITY;
  const find = compileFaultFinder(items);
  if (least === 0 && maxItems === undefined && find === undefined) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    if (value.length < least) return fault('must not be empty');
    if (value.length > most) return fault(`must have at most ${most} entries, got ${value.length}`);
    if (find === undefined) return undefined;
    for (let index = 0; index < value.length; index++) {
      const found = find(value[index]);
      if (found !== undefined) return within(found, index);
    }
    return undefined;
  };
}

function objectRule(schema: JsonObject): FaultFinder | undefined {
  const members = memberRule(schema);
  const others = otherMembersRule(schema);
  if (members === undefined && others === undefined) return undefined;
  return (value) => (isObject(value) ? (members?.(value) ?? others?.(value)) : undefined);
}

function memberRule(schema: JsonObject): ((value: JsonObject) => Fault | undefined) | undefined {
  if (!isObject(schema.properties)) return undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const rows = Object.entries(schema.properties)
    .filter(([, member]) => !(isObject(member) && handledElsewhere in member))
    .map(([key, member]) => ({
      key,
      find: compileFaultFinder(member),
      demand: required.includes(key) ? `is required${expectation(member)}` : undefined,
    }));
  return (value) => {
    for (const { key, find, demand } of rows) {
      const member = value[key];
      if (member === undefined) {
        if (demand !== undefined) return within(fault(demand), key);
        continue;
      }
      const found = find?.(member);
      if (found !== undefined) return within(found, key);
    }
    return undefined;
  };
}

function otherMembersRule(schema: JsonObject): ((value: JsonObject) => Fault | undefined) | undefined {
  const { additionalProperties, propertyNames, maxProperties } = schema;
  if (additionalProperties === undefined) return undefined;
  const known = isObject(schema.properties) ? schema.properties : {};
  const closed = additionalProperties === false;
  const findKey = compileFaultFinder(propertyNames);
  const find = compileFaultFinder(additionalProperties);
  const most = typeof maxProperties === 'number' ? maxProperties : Number.POSITIVE_INFINITY;
  return (value) => {
    const keys = Object.keys(value);
    if (keys.length > most) return fault(`must have at most ${most} pairs, got ${keys.length}`);
    for (const key of keys) {
      if (Object.hasOwn(known, key)) continue;
      if (closed) return within(fault(`unknown field, allowed are ${quoteAll(Object.keys(known))}`), key);
      const named = findKey?.(key);
      if (named !== undefined) return fault(`key ${quote(key)} ${named.problem}`);
      const found = find?.(value[key]);
      if (found !== undefined) return within(found, key);
    }
    return undefined;
  };
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

/** The characters of a text; one of two units counts once, as in JSON Schema. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}
