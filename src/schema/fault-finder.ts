import { isObject, type JsonObject } from '../util/json.ts';
import { marksOf, type TSchema, typeNames } from '../util/json-schema.ts';
import { nameOf, quote, quoteAll, show } from './fault.ts';
import { type Fault, type FaultFinder, fault, within, wordsOf } from './found-fault.ts';
import { typeTest, wordTypes } from './json-types.ts';
import { unionRule } from './union-rule.ts';

/**
 * Compiles a schema into a function that finds the first fault of a value. It checks sizes before contents, so a huge
 * wrong value costs little, and builds a path only for a fault. Members marked as handled are skipped, also when absent.
 */
export function compileFaultFinder(schema: TSchema | boolean | undefined): FaultFinder | undefined {
  if (typeof schema !== 'object') return undefined;
  const rules = [
    typeRule(schema),
    wordRule(schema),
    rangeRule(schema),
    textRule(schema),
    listRule(schema),
    objectRule(schema),
    unionRule(schema, compileFaultFinder),
    unitRule(schema),
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

function typeRule(schema: TSchema): FaultFinder | undefined {
  const names = typeNames(schema);
  const tests = names.map(typeTest);
  const [first, second] = tests;
  if (first === undefined) return undefined;
  const numeric = names.includes('number') || names.includes('integer');
  const expected = marksOf(schema).wording?.expected ?? wordTypes(names);
  return (value) => {
    if (first(value) || second?.(value) === true || tests.some((test) => test(value))) return undefined;
    return fault(`expected ${expected}`, numeric && typeof value === 'number' ? value : nameOf(value));
  };
}

function wordRule({ enum: words }: TSchema): FaultFinder | undefined {
  if (words === undefined) return undefined;
  return (value) =>
    words.includes(value) ? undefined : fault(`must be one of ${allowedWords(words)}`, show(value));
}

function rangeRule(schema: TSchema): FaultFinder | undefined {
  const { minimum, maximum } = schema;
  if (minimum === undefined && maximum === undefined) return undefined;
  const low = minimum ?? Number.NEGATIVE_INFINITY;
  const high = maximum ?? Number.POSITIVE_INFINITY;
  const bounds = maximum === undefined ? `at least ${minimum}` : `between ${minimum} and ${maximum}`;
  const { expected } = marksOf(schema).wording ?? {};
  const problem = expected === undefined ? `must be ${bounds}` : `expected ${expected}`;
  return (value) => {
    if (typeof value !== 'number' || (value >= low && value <= high)) return undefined;
    return fault(problem, value);
  };
}

function textRule(schema: TSchema): FaultFinder | undefined {
  const { minLength: shortest = 0, maxLength, pattern, description } = schema;
  if (shortest === 0 && maxLength === undefined && pattern === undefined) return undefined;
  const longest = maxLength ?? Number.POSITIVE_INFINITY;
  const shape = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const form = marksOf(schema).wording?.form ?? description;
  const demand = form === undefined ? `match ${pattern}` : `be ${form}`;
  return (value) => {
    if (typeof value !== 'string') return undefined;
    if (value.length < shortest) {
      return value === ''
        ? fault('must not be empty')
        : fault(`must be at least ${shortest} characters`, value.length);
    }
    if (value.length > longest) {
      const length = countCharacters(value);
      if (length > longest) return fault(`must be at most ${longest} characters`, length);
    }
    if (shape?.test(value) === false) return fault(`must ${demand}`, quote(value));
    return undefined;
  };
}

function listRule(schema: TSchema): FaultFinder | undefined {
  const { minItems: least = 0, maxItems, items } = schema;
  const most = maxItems ?? Number.POSITIVE_INFINITY;
  const find = compileFaultFinder(items);
  if (least === 0 && maxItems === undefined && find === undefined) return undefined;
  const empty = marksOf(schema).wording?.empty ?? 'must not be empty';
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    if (value.length < least) return fault(empty);
    if (value.length > most) return fault(`must have at most ${most} entries`, value.length);
    if (find === undefined) return undefined;
    for (let index = 0; index < value.length; index++) {
      const found = find(value[index]);
      if (found !== undefined) return within(found, index);
    }
    return undefined;
  };
}

function objectRule(schema: TSchema): FaultFinder | undefined {
  const members = memberRule(schema);
  const others = otherMembersRule(schema);
  if (members === undefined && others === undefined) return undefined;
  return (value) => (isObject(value) ? (members?.(value) ?? others?.(value)) : undefined);
}

function memberRule({
  properties,
  required = [],
}: TSchema): ((value: JsonObject) => Fault | undefined) | undefined {
  if (properties === undefined) return undefined;
  const rows = Object.entries(properties)
    .filter(([, member]) => marksOf(member).handled !== true)
    .map(([key, member]) => ({
      key,
      find: compileFaultFinder(member),
      demand: required.includes(key) ? missing(member) : undefined,
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

function otherMembersRule(schema: TSchema): ((value: JsonObject) => Fault | undefined) | undefined {
  const { additionalProperties, propertyNames, maxProperties, properties: known = {} } = schema;
  if (additionalProperties === undefined) return undefined;
  const closed = additionalProperties === false;
  const unknown =
    marksOf(schema).wording?.unknown ?? `unknown field, allowed are ${quoteAll(Object.keys(known))}`;
  const findKey = compileFaultFinder(propertyNames);
  const find = compileFaultFinder(additionalProperties);
  const most = maxProperties ?? Number.POSITIVE_INFINITY;
  return (value) => {
    const keys = Object.keys(value);
    if (keys.length > most) return fault(`must have at most ${most} pairs`, keys.length);
    for (const key of keys) {
      if (Object.hasOwn(known, key)) continue;
      if (closed) return within(fault(unknown), key);
      const named = findKey?.(key);
      if (named !== undefined) return fault(`key ${quote(key)} ${wordsOf(named)}`);
      const found = find?.(value[key]);
      if (found !== undefined) return within(found, key);
    }
    return undefined;
  };
}

/** Discards the value that the unit reads: a reader reads it again once the whole body is known to be right. */
function unitRule(schema: TSchema): FaultFinder | undefined {
  const { unit } = marksOf(schema);
  if (unit === undefined) return undefined;
  return (value) => {
    if (value === null) return undefined;
    try {
      unit.read(String(value));
      return undefined;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return fault(error.message);
    }
  };
}

function missing(schema: TSchema): string {
  const { wording } = marksOf(schema);
  if (wording?.missing !== undefined) return wording.missing;
  if (schema.enum !== undefined) return `is required, one of ${allowedWords(schema.enum)}`;
  const names = typeNames(schema);
  return names.length === 0 ? 'is required' : `is required, expected ${wordTypes(names)}`;
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
