import { offeredTools } from '../core/client-tools.ts';
import type { CanonicalRequest, FunctionTool, Tool } from '../core/request.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { definitionOf } from '../util/schema-definition.ts';
import type { RequestRewriter } from './request-rewriter.ts';

const combinators = ['anyOf', 'oneOf', 'allOf'] as const;
/** Combinators within combinators that are looked into. */
const deepest = 8;
/** Characters of the alternatives that go into the description. */
const mostTold = 2000;

/** Whether a provider takes the parameters of all functions, which some want to be one object at the root. */
export function takesRoots(request: CanonicalRequest, rootObjects: boolean | undefined): boolean {
  return rootObjects !== true || !offeredTools(request).some(isSplit);
}

/**
 * Makes one object of parameters that are alternatives at the root (docs/spec/tools.md#parameters). It has the members of all
 * alternatives and requires those that each of them requires. The description repeats the alternatives.
 */
export function mergeRoots(rewriter: RequestRewriter): void {
  const { request, destination } = rewriter;
  if (takesRoots(request, destination.support.rootObjects)) return;
  const at = request.tools.findIndex(isSplit);
  const how = 'alternatives at the root are one object, and told in the description';
  rewriter.noteField(at === -1 ? 'tools' : `tools[${at}].parameters`, 'adapted', how);
  rewriter.mapTools((tool) => {
    if (tool.kind === 'namespace') return { ...tool, tools: tool.tools.map(merged) };
    return merged(tool);
  });
}

function isSplit(tool: Tool): boolean {
  if (tool.kind === 'namespace') return tool.tools.some(isSplit);
  if (tool.kind !== 'function' || tool.extra?.type !== undefined) return false;
  return combinators.some((name) => Array.isArray(tool.parameters?.[name]));
}

/** An object with free members cannot be strict. */
function merged<Any extends Tool>(tool: Any): Any | FunctionTool {
  if (tool.kind !== 'function' || !isSplit(tool)) return tool;
  const { parameters = {}, description } = tool;
  const told = Object.fromEntries(
    combinators.flatMap((name) => (name in parameters ? [[name, parameters[name]]] : [])),
  );
  const rule = `Its arguments must fit ${JSON.stringify(told)}`.slice(0, mostTold);
  return {
    ...tool,
    parameters: mergeRoot(parameters),
    description: description ? `${description}\n${rule}` : rule,
    ...(tool.strict !== undefined && { strict: false }),
  };
}

function mergeRoot(root: JsonObject): JsonObject {
  const { anyOf: _any, oneOf: _one, allOf: _all, not: _not, enum: _enum, ...rest } = root;
  const merge = new RootMerge(root);
  const required = merge.demanded(root, 0);
  return {
    ...rest,
    type: 'object',
    properties: merge.properties(),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** Gathers the members of all alternatives. Looks at each schema once, however often it is referred to. */
class RootMerge {
  readonly #root: JsonObject;
  readonly #seen = new Set<JsonObject>();
  /** The different schemas of each member, by their texts. */
  readonly #members = new Map<string, Map<string, unknown>>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** Gathers what a schema has, and returns what an object that fits it must have. */
  demanded(schema: JsonObject, depth: number): readonly string[] {
    if (this.#seen.has(schema)) return [];
    this.#seen.add(schema);
    for (const [name, member] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
      const known = this.#members.get(name) ?? new Map<string, unknown>();
      this.#members.set(name, known.set(JSON.stringify(member), member));
    }
    const required = new Set(namesIn(schema.required));
    for (const name of combinators) {
      const branches = Array.isArray(schema[name]) && depth < deepest ? schema[name] : [];
      const all = branches.map((branch) => this.demanded(this.#resolve(branch), depth + 1));
      for (const key of name === 'allOf' ? all.flat() : demandedByEach(all)) required.add(key);
    }
    return [...required];
  }

  #resolve(branch: unknown): JsonObject {
    if (!isObject(branch)) return {};
    return definitionOf(this.#root, branch.$ref) ?? branch;
  }

  properties(): JsonObject {
    return Object.fromEntries(
      [...this.#members].map(([name, known]) => {
        const [only, ...others] = known.values();
        return [name, others.length === 0 ? only : { anyOf: [only, ...others] }];
      }),
    );
  }
}

function demandedByEach([first, ...others]: readonly (readonly string[])[]): readonly string[] {
  const sets = others.map((one) => new Set(one));
  return (first ?? []).filter((key) => sets.every((set) => set.has(key)));
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
