import type { FunctionTool, Tool } from '../core/request.ts';
import { isObject, type JsonObject } from '../util/json.ts';

/** What Claude takes of strict functions, all of a request together, as its maker documents it. */
const most = { functions: 20, optional: 24, unions: 16 };

const maps = ['properties', '$defs', 'definitions'] as const;
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;

/**
 * Whether Claude's decoder can hold a model to a schema as it is meant: its objects are closed, so one with free members would
 * lose them, and it knows no schema that holds itself and no references but to definitions.
 */
export function isEnforceable(schema: JsonObject): boolean {
  return isClosed(schema) && !isRecursive(schema);
}

/** The functions of a request that Claude is asked to be strict about: the first ones, as many as it takes. */
export function strictFunctions(tools: readonly Tool[]): ReadonlySet<Tool> {
  const strict = new Set<Tool>();
  const used = { functions: 0, optional: 0, unions: 0 };
  for (const tool of tools) {
    if (tool.kind !== 'function' || tool.strict !== true || tool.extra?.type !== undefined) continue;
    const costs = costsOf(tool);
    const isTooMuch = (Object.keys(most) as (keyof typeof most)[]).some(
      (name) => used[name] + costs[name] > most[name],
    );
    if (isTooMuch || !isEnforceable({ type: 'object', ...tool.parameters })) continue;
    for (const name of Object.keys(most) as (keyof typeof most)[]) used[name] += costs[name];
    strict.add(tool);
  }
  return strict;
}

function costsOf({ parameters = {} }: FunctionTool): typeof most {
  const costs = { functions: 1, optional: 0, unions: 0 };
  for (const schema of everySchema(parameters)) {
    const required = Array.isArray(schema.required) ? schema.required : [];
    const names = isObject(schema.properties) ? Object.keys(schema.properties) : [];
    costs.optional += names.filter((name) => !required.includes(name)).length;
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
    // A function without arguments has an empty object at its root.
    return !isFree || more === false || (schema === root && isObject(properties));
  });
}

function isRecursive(root: JsonObject): boolean {
  const finished = new Set<unknown>();
  const visit = (schema: JsonObject, open: ReadonlySet<unknown>): boolean =>
    everySchema(schema).some(({ $ref }) => {
      if ($ref === undefined || finished.has($ref)) return false;
      if (open.has($ref)) return true;
      const definition = definitionOf(root, $ref);
      if (definition !== undefined && visit(definition, new Set([...open, $ref]))) return true;
      finished.add($ref);
      return false;
    });
  const { $defs: _defs, definitions: _definitions, ...body } = root;
  return visit(body, new Set());
}

function definitionOf(root: JsonObject, reference: unknown): JsonObject | undefined {
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(reference)) ?? [];
  const held = place === undefined ? undefined : root[place];
  const definition =
    isObject(held) && name !== undefined ? held[name.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined;
  return isObject(definition) ? definition : undefined;
}

/** A schema and all that stand in it. */
function everySchema(schema: JsonObject): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const next = open.pop();
    if (!isObject(next)) continue;
    found.push(next);
    for (const key of maps) if (isObject(next[key])) open.push(...Object.values(next[key]));
    for (const key of lists) if (Array.isArray(next[key])) open.push(...next[key]);
    open.push(next.items, next.not);
    if (isObject(next.additionalProperties)) open.push(next.additionalProperties);
  }
  return found;
}
