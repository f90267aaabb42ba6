import { isObject } from '../util/json.ts';
import { alternativeTypes, marksOf, type TSchema } from '../util/json-schema.ts';
import { nameOf, quote, quoteAll } from './fault.ts';
import { type FaultFinder, fault, within } from './found-fault.ts';
import { typeTest } from './json-types.ts';

type Compile = (schema: TSchema) => FaultFinder | undefined;

/**
 * The rule of a schema with alternatives: the value's own kind or type picks the one that it must fit, so that a
 * message speaks of what was meant. Values of no alternative's type are the type rule's.
 */
export function unionRule(schema: TSchema, compile: Compile): FaultFinder | undefined {
  const { union } = marksOf(schema);
  if (union === undefined) return undefined;
  return 'kinds' in union ? kindRule(union.key, union.kinds, compile) : typeRule(union.schemas, compile);
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

function typeRule(schemas: readonly TSchema[], compile: Compile): FaultFinder {
  const rows = schemas.map((schema) => ({
    tests: alternativeTypes(schema).map(typeTest),
    find: compile(schema),
  }));
  return (value) => rows.find(({ tests }) => tests.some((test) => test(value)))?.find?.(value);
}
