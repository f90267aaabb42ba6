import type { FunctionTool, Tool } from '../core/request.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { pushAll } from '../util/push-all.ts';
import { definitionOf } from '../util/schema-definition.ts';
import { claudeStrict } from './tool-limits.ts';

const maps = ['properties', '$defs', 'definitions'] as const;
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;

/** What was found of schemas before: each is asked about at every endpoint and once more when it is sent. */
const known = new WeakMap<JsonObject, boolean>();

/**
 * Whether Claude's decoder can hold a model to a schema as it is meant: it closes all objects, so one with free members would
 * lose them, and it knows neither recursion nor references to anything but definitions.
 */
export function isEnforceable(schema: JsonObject): boolean {
  let found = known.get(schema);
  if (found === undefined) {
    found = isClosed(schema) && !isRecursive(schema);
    known.set(schema, found);
  }
  return found;
}

/** The functions of a request that Claude is asked to be strict about: the first ones, as many as it takes. */
export function strictFunctions(tools: readonly Tool[]): ReadonlySet<Tool> {
  const strict = new Set<Tool>();
  const left: Costs = { ...claudeStrict };
  for (const tool of tools) {
    if (!asksToBeStrict(tool) || !takesWhole(tool.parameters)) continue;
    const costs = costsOf(tool.parameters);
    if (budgets.some((name) => costs[name] > left[name])) continue;
    for (const name of budgets) left[name] -= costs[name];
    strict.add(tool);
  }
  return strict;
}

/** Whether a tool is a function that the caller wants the provider to be strict about. */
export function asksToBeStrict(tool: Tool): tool is FunctionTool {
  return tool.kind === 'function' && tool.strict === true && tool.extra?.type === undefined;
}

/** A function without arguments has an empty object, which is meant to stay empty. */
function takesWhole(parameters: JsonObject = {}): boolean {
  const { properties, additionalProperties } = parameters;
  const isEmpty = properties === undefined || (isObject(properties) && Object.keys(properties).length === 0);
  return (isEmpty && additionalProperties === undefined) || isEnforceable(parameters);
}

const budgets = ['functions', 'optional', 'unions'] as const;
type Costs = Record<(typeof budgets)[number], number>;

function costsOf(parameters: JsonObject = {}): Costs {
  const costs: Costs = { functions: 1, optional: 0, unions: 0 };
  for (const schema of everySchema(parameters)) {
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const names = isObject(schema.properties) ? Object.keys(schema.properties) : [];
    costs.optional += names.filter((name) => !required.has(name)).length;
    if (Array.isArray(schema.type) || Array.isArray(schema.anyOf) || Array.isArray(schema.oneOf))
      costs.unions += 1;
  }
  return costs;
}

function isClosed(root: JsonObject): boolean {
  return everySchema(root).every((schema) => {
    const { type, properties, additionalProperties: more, patternProperties, $ref } = schema;
    if (patternProperties !== undefined || more === true || isObject(more)) return false;
    if ($ref !== undefined && definitionOf(root, $ref) === undefined) return false;
    const isAnyObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
    const isFree = isAnyObject && !(isObject(properties) && Object.keys(properties).length > 0);
    return !isFree || more === false;
  });
}

/**
 * Whether a definition refers to itself, directly or through others. Definitions that refer to none but settled ones
 * are settled; what is never settled goes round. Takes time with the size of the schema, however long its chains are.
 */
function isRecursive(root: JsonObject): boolean {
  const definitions = new Set([root.$defs, root.definitions].flatMap(membersOf).filter(isObject));
  const waitsFor = new Map<JsonObject, number>();
  const waiting = new Map<JsonObject, JsonObject[]>();
  for (const definition of definitions) {
    const needed = definitionsIn(definition, root);
    waitsFor.set(definition, needed.size);
    for (const other of needed) {
      const others = waiting.get(other);
      if (others === undefined) waiting.set(other, [definition]);
      else others.push(definition);
    }
  }
  const settled = [...definitions].filter((definition) => waitsFor.get(definition) === 0);
  // It grows while it is read.
  for (const definition of settled) {
    for (const other of waiting.get(definition) ?? []) {
      const left = (waitsFor.get(other) ?? 0) - 1;
      waitsFor.set(other, left);
      if (left === 0) settled.push(other);
    }
  }
  return settled.length < definitions.size;
}

function membersOf(value: unknown): readonly unknown[] {
  return isObject(value) ? Object.values(value) : [];
}

function definitionsIn(schema: JsonObject, root: JsonObject): ReadonlySet<JsonObject> {
  const found = new Set<JsonObject>();
  for (const { $ref } of everySchema(schema)) {
    const definition = definitionOf(root, $ref);
    if (definition !== undefined) found.add(definition);
  }
  return found;
}

/** A schema and all that stand in it. */
function everySchema(schema: JsonObject): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const next = open.pop();
    if (!isObject(next)) continue;
    found.push(next);
    for (const key of maps) pushAll(open, membersOf(next[key]));
    for (const key of lists) if (Array.isArray(next[key])) pushAll(open, next[key]);
    open.push(next.items, next.not);
    if (isObject(next.additionalProperties)) open.push(next.additionalProperties);
  }
  return found;
}
