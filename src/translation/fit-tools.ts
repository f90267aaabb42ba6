import { createHash } from 'node:crypto';
import { offeredTools } from '../core/client-tools.ts';
import type { NameRule } from '../core/features.ts';
import type { CanonicalChat, FunctionTool, Item, Tool, ToolChoice } from '../core/request.ts';
import { isObject, type JsonObject } from '../util/json.ts';
import { definitionOf } from '../util/schema-definition.ts';
import type { RequestRewriter } from './request-rewriter.ts';

const hashLength = 8;

/** Whether an endpoint takes the names of all functions and custom tools of a request, those of earlier calls included. */
export function takesToolNames({ tools, items }: CanonicalChat, rule: NameRule | undefined): boolean {
  if (rule === undefined) return true;
  const isTaken = (tool: Tool) => !isNamed(tool) || fits(tool.name, rule);
  return (
    tools.every(isTaken) &&
    items.every((item) => {
      if (item.kind === 'call') return fits(item.name, rule);
      return item.kind !== 'additional_tools' || item.tools.every(isTaken);
    })
  );
}

/**
 * Gives tools whose names the endpoint refuses names that it takes, everywhere in the conversation, and turns its calls back
 * (docs/spec/tools.md#names). The same name always gets the same one, so that cached prefixes stay valid.
 */
export function fitToolNames(rewriter: RequestRewriter): void {
  const rule = rewriter.destination.support.toolNames;
  if (rule === undefined || takesToolNames(rewriter.request, rule)) return;
  const names = new FittingNames(rewriter.request, rule);
  const rename = <Named extends { readonly name: string }>(named: Named): Named => ({
    ...named,
    name: names.of(named.name),
  });
  names.report(rewriter);
  rewriter.mapTools((tool) => (isNamed(tool) ? rename(tool) : tool));
  rewriter.mapItems((item): Item => (item.kind === 'call' ? rename(item) : item));
  rewriter.change({ toolChoice: renameChoice(rewriter.request.toolChoice, names) });
  rewriter.restorers.push((delta, emit) => {
    const name = delta.kind === 'call' ? names.original(delta.name) : undefined;
    emit(delta.kind === 'call' && name !== undefined ? { ...delta, name } : delta);
  });
}

/** Names that fit, each for one original. */
class FittingNames {
  readonly #rule: NameRule;
  readonly #fitting = new Map<string, string>();
  readonly #originals = new Map<string, string>();
  #first: { readonly place: string; readonly fitting: string } | undefined;

  constructor(request: CanonicalChat, rule: NameRule) {
    this.#rule = rule;
    const given = placesOf(request);
    const kept = new Set([...given.keys()].filter((name) => fits(name, rule)));
    for (const [name, place] of given) {
      if (kept.has(name)) continue;
      const fitting = this.#fit(name, kept);
      kept.add(fitting);
      this.#fitting.set(name, fitting);
      this.#originals.set(fitting, name);
      this.#first ??= { place, fitting };
    }
  }

  /** Tells of the first name in words, and of the others by their number. */
  report(rewriter: RequestRewriter): void {
    if (this.#first === undefined) return;
    const { place, fitting } = this.#first;
    const others = this.#fitting.size === 1 ? '' : `, as are ${this.#fitting.size - 1} others`;
    rewriter.noteField(`${place}.name`, 'emulated', `called ${fitting} there and turned back${others}`);
  }

  of(name: string): string {
    return this.#fitting.get(name) ?? name;
  }

  original(name: string): string | undefined {
    return this.#originals.get(name);
  }

  #fit(name: string, taken: ReadonlySet<string>): string {
    const { longest, begins } = this.#rule;
    const letters = name.replace(/[^a-zA-Z0-9_-]/g, '_');
    const readable = begins === undefined || begins.test(letters) ? letters : `_${letters}`;
    if (readable.length <= longest && !taken.has(readable)) return readable;
    const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength);
    return `${readable.slice(0, longest - hashLength - 1)}_${hash}`;
  }
}

/** The names of all tools, offered or only called before, each with the place where it stands first. */
function placesOf(request: CanonicalChat): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  const note = (name: string, place: string) => {
    if (!places.has(name)) places.set(name, place);
  };
  for (const [at, tool] of request.tools.entries()) if (isNamed(tool)) note(tool.name, `tools[${at}]`);
  for (const [at, item] of request.items.entries()) {
    const place = item.path ?? `input[${item.place ?? at}]`;
    if (item.kind === 'call') note(item.name, place);
    if (item.kind !== 'additional_tools') continue;
    for (const [index, tool] of item.tools.entries())
      if (isNamed(tool)) note(tool.name, `${place}.tools[${index}]`);
  }
  return places;
}

function isNamed(tool: Tool): tool is Extract<Tool, { kind: 'function' | 'custom' }> {
  return tool.kind === 'function' || tool.kind === 'custom';
}

function fits(name: string, { longest, begins, refused }: NameRule): boolean {
  return name.length <= longest && begins?.test(name) !== false && !refused.test(name);
}

function renameChoice(choice: ToolChoice, names: FittingNames): ToolChoice {
  if (choice.kind === 'allowed') return { ...choice, names: choice.names.map((name) => names.of(name)) };
  return choice.kind === 'tool' ? { ...choice, name: names.of(choice.name) } : choice;
}

const combinators = ['anyOf', 'oneOf', 'allOf'] as const;
/** Combinators within combinators that are looked into. */
const deepest = 8;
/** Characters of the alternatives that go into the description. */
const mostTold = 2000;

/** Whether a provider takes the parameters of all functions, which some want to be one object at the root. */
export function takesRoots(request: CanonicalChat, rootObjects: boolean | undefined): boolean {
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
