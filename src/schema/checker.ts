import { isObject, type JsonObject } from '../util/json.ts';
import { alternativeTypes, marksOf, type Static, type TSchema, typeNames } from '../util/json-schema.ts';
import { malformed, memberPath, nameOf, quote, quoteAll, show } from './fault.ts';
import { type Fault, type FaultFinder, fault, within, wordsOf } from './found-fault.ts';

/** A name nobody could take for a value in the wrong place. */
const plainName = /^[a-z_]{1,40}$/i;

/**
 * Returns a value as what its schema says it is.
 * @param path Where the value stands in the request, for the message.
 * @throws HeadgateError `invalid_request` naming the path of the first fault and what is allowed there.
 */
export type Checker<Value> = (value: unknown, path: string) => Value;

/**
 * Compiles a schema once into a checker; members marked as handled elsewhere are not looked at. Messages about a
 * schema marked as secret repeat nothing that was sent.
 */
export function createChecker<Schema extends TSchema>(schema: Schema): Checker<Static<Schema>> {
  const find = compileFaultFinder(schema);
  const isSecret = marksOf(schema).secret === true;
  return (value, path) => {
    const fault = find?.(value);
    if (fault === undefined) return value as Static<Schema>;
    const shown = isSecret
      ? fault.steps.filter((step) => typeof step === 'number' || plainName.test(step))
      : fault.steps;
    const place = shown.reduce<string>(
      (parent, step) => (typeof step === 'number' ? `${parent}[${step}]` : memberPath(parent, step)),
      path,
    );
    throw malformed(place, isSecret ? fault.problem : wordsOf(fault));
  };
}

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

/** Types with their articles for a message. Null stays unsaid: it is only another way to leave a member out. */
function wordTypes(names: readonly string[]): string {
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

type Compile = (schema: TSchema) => FaultFinder | undefined;

/**
 * The rule of a schema with alternatives: the value's own kind or type picks the one that it must fit, so that a
 * message speaks of what was meant. Values of no alternative's type are the type rule's.
 */
function unionRule(schema: TSchema, compile: Compile): FaultFinder | undefined {
  const { union } = marksOf(schema);
  if (union === undefined) return undefined;
  return 'kinds' in union ? kindRule(union.key, union.kinds, compile) : typesRule(union.schemas, compile);
}

function kindRule(key: string, kinds: Readonly<Record<string, TSchema>>, compile: Compile): FaultFinder {
  const finders = new Map(Object.entries(kinds).map(([kind, schema]) => [kind, compile(schema)]));
  return (value) => {
    if (!isObject(value)) return undefined;
    const kind = value[key];
    if (typeof kind === 'string' && finders.has(kind)) return finders.get(kind)?.(value);
    const allowed = `one of ${quoteAll(finders.keys())}`;
    if (kind === undefined || kind === null) return within(fault(`is required, ${allowed}`), key);
    if (typeof kind !== 'string') return within(fault('expected a string', nameOf(kind)), key);
    return within(fault(`must be ${allowed}`, quote(kind)), key);
  };
}

function typesRule(schemas: readonly TSchema[], compile: Compile): FaultFinder {
  const rows = schemas.map((schema) => ({
    tests: alternativeTypes(schema).map(typeTest),
    find: compile(schema),
  }));
  return (value) => rows.find(({ tests }) => tests.some((test) => test(value)))?.find?.(value);
}
