import { clientTools, qualifiedName } from '../../../core/client-tools.ts';
import type { HeadgateError } from '../../../core/errors.ts';
import type { HostedKind } from '../../../core/hosted.ts';
import type { HostedTool, NamespaceTool, ServiceTool, Tool, ToolChoice } from '../../../core/request.ts';
import { type ServiceType, serviceFunctionName } from '../../../core/tool.ts';
import { createChecker } from '../../../schema/checker.ts';
import { contradictory, malformed, nameOf, quote, quoteAll, show } from '../../../schema/fault.ts';
import { asObject, type KindTable, rowFor } from '../../../schema/kind-table.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import {
  anyObject,
  anyOf,
  choice,
  list,
  optional,
  type TSchema,
  Type,
  text,
} from '../../../util/json-schema.ts';
import type { Speller } from '../models.ts';
import { serviceTools, toolKinds } from './tool-kinds.ts';

/** A tool of the client as a choice names it. */
interface NamedTool {
  readonly form: 'function' | 'custom';
  readonly name: string;
  readonly namespace?: string;
}

/** Where a tool of the client stands: in a namespace, or outside of all. */
type Place = string | undefined;

/** The tools of a request by what a choice calls them: a choice may name as many as there are. */
class OfferedTools {
  /** The places in which a name is given, by form and name. */
  readonly #places = new Map<string, Set<Place>>();
  readonly #namespaces = new Map<string, NamespaceTool>();
  /** The first of each kind, and of each MCP server. */
  readonly #hosted = new Map<string, HostedTool>();

  readonly #services: readonly ServiceTool[];

  constructor(tools: readonly Tool[], services: readonly ServiceTool[] = []) {
    this.#services = services;
    for (const { tool, namespace } of clientTools(tools)) {
      const key = `${tool.kind} ${tool.name}`;
      const places = this.#places.get(key);
      if (places === undefined) this.#places.set(key, new Set([namespace]));
      else places.add(namespace);
    }
    for (const tool of tools) {
      if (tool.kind === 'namespace') addFirst(this.#namespaces, tool.name, tool);
      if (tool.kind !== 'hosted') continue;
      addFirst(this.#hosted, tool.tool, tool);
      const { server_label: server } = tool.settings;
      if (typeof server === 'string') addFirst(this.#hosted, `${tool.tool} ${server}`, tool);
    }
  }

  /**
   * Where the tools of the client stand that a name means: in the namespace it states, else outside of namespaces,
   * else in any.
   * @throws HeadgateError `unprocessable` when there is none.
   */
  placesOf({ form, name, namespace }: NamedTool, path: string): readonly Place[] {
    const places = this.#places.get(`${form} ${name}`);
    if (places?.has(namespace)) return [namespace];
    if (namespace === undefined && places !== undefined) return [...places];
    const place = namespace === undefined ? '' : ` in a namespace ${quote(namespace)}`;
    throw contradictory(path, `tools holds no ${form} tool named ${quote(name)}${place}`);
  }

  /**
   * Where the one tool of the client stands that a name means.
   * @throws HeadgateError `unprocessable` when there is none, or one in each of several namespaces.
   */
  placeOf(named: NamedTool, path: string): Place {
    const [only, ...others] = this.placesOf(named, path);
    if (others.length === 0) return only;
    throw contradictory(path, `${quote(named.name)} is in several namespaces: say which with "namespace"`);
  }

  /** @throws HeadgateError `unprocessable` when there is none of that name. */
  namespace(name: string, path: string): NamespaceTool {
    const found = this.#namespaces.get(name);
    if (found !== undefined) return found;
    throw contradictory(path, `tools holds no namespace named ${quote(name)}`);
  }

  /** The first tool of the gateway with a type id, which may be another word for it; undefined when there is none. */
  ofService(type: string): ServiceTool | undefined {
    const id = type === 'service:search_models' ? 'service:experimental__search_models' : type;
    return this.#services.find((tool) => tool.type === id);
  }

  /** The hosted tool of a kind; undefined when there is none. */
  ofKind(kind: HostedKind | undefined): HostedTool | undefined {
    return kind === undefined ? undefined : this.#hosted.get(kind);
  }

  /**
   * The hosted tool that a choice means, in whatever version either of them spells it; for MCP the label counts too.
   * @throws HeadgateError `unprocessable` when there is none.
   */
  hosted({ type, server_label: server }: JsonObject, path: string): HostedTool {
    const kind = typeof type === 'string' ? toolKinds.rows.get(type)?.hosted : undefined;
    const labelled = typeof server === 'string' ? this.#hosted.get(`${kind} ${server}`) : undefined;
    const found = server === undefined ? this.ofKind(kind) : labelled;
    if (found === undefined) throw absentKind(type, path);
    return found;
  }
}

/** A 422: no tool of the kind is there. */
function absentKind(type: unknown, path: string): HeadgateError {
  return contradictory(`${path}.type`, `tools holds no ${show(type)} tool`);
}

function addFirst<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (!map.has(key)) map.set(key, value);
}

/** `tool_choice` that limits what may be called, not what is shown (docs/spec/tools.md#tool-choice). */
const AllowedToolsSchema = Type.Object({
  type: choice('allowed_tools'),
  mode: choice('auto', 'required'),
  tools: list(anyObject()),
});

const checkAllowedTools = createChecker(AllowedToolsSchema);

/**
 * Reads `allowed_tools`: functions and custom tools by name, namespaces for all they hold, hosted tools by kind.
 * @throws HeadgateError `invalid_request`, or `unprocessable` when an entry names a tool that is not there.
 */
function readAllowedTools(value: JsonObject, tools: OfferedTools): ToolChoice {
  const allowed = checkAllowedTools(value, 'tool_choice');
  const names = new Set<string>();
  const hosted = new Set<HostedKind>();
  /** One entry may stand for many tools, so none is read twice. */
  const read = new Set<string>();
  for (const [index, raw] of allowed.tools.entries()) {
    const path = `tool_choice.tools[${index}]`;
    const entry = asObject(raw, path);
    const key = JSON.stringify([entry.type, entry.name, entry.namespace, entry.server_label]);
    if (read.has(key)) continue;
    read.add(key);
    const named = namesOf(entry, tools, path);
    if (named === undefined) hosted.add(tools.hosted(entry, path).tool);
    else for (const name of named) names.add(name);
  }
  if (names.size + hosted.size > 0) {
    const kinds = hosted.size === 0 ? {} : { hosted: [...hosted] };
    return { kind: 'allowed', mode: allowed.mode, names: [...names], ...kinds };
  }
  if (allowed.mode === 'required') {
    throw contradictory('tool_choice.tools', 'mode "required" needs at least one tool');
  }
  return { kind: 'none' };
}

/** Names that an entry means; undefined where it means a hosted kind. */
function namesOf(entry: JsonObject, tools: OfferedTools, path: string): readonly string[] | undefined {
  switch (textOf(entry, 'type', path)) {
    case 'function':
    case 'custom':
      return readNames(entry, tools, path);
    case 'namespace':
      return readNamespace(entry, tools, path);
    default:
      return isService(entry, tools) ? [serviceFunctionName(entry.type)] : undefined;
  }
}

function isService(
  entry: JsonObject,
  tools: OfferedTools,
): entry is JsonObject & { readonly type: ServiceType } {
  return typeof entry.type === 'string' && tools.ofService(entry.type) !== undefined;
}

function readNames(entry: JsonObject, tools: OfferedTools, path: string): readonly string[] {
  const name = textOf(entry, 'name', path);
  const namespace = entry.namespace == null ? undefined : textOf(entry, 'namespace', path);
  const form = entry.type === 'custom' ? 'custom' : 'function';
  const places = tools.placesOf({ form, name, namespace }, `${path}.name`);
  return places.map((place) => qualifiedName(name, place));
}

function readNamespace(entry: JsonObject, tools: OfferedTools, path: string): readonly string[] {
  const name = textOf(entry, 'name', path);
  return tools.namespace(name, `${path}.name`).tools.map((member) => qualifiedName(member.name, name));
}

function textOf(entry: JsonObject, member: string, path: string): string {
  const value = entry[member];
  if (typeof value === 'string') return value;
  throw malformed(`${path}.${member}`, `expected a string, got ${nameOf(value)}`);
}

const words = ['auto', 'none', 'required'] as const;
const hosted = ['web_search_preview', 'web_search_preview_2025_03_11', 'apply_patch', 'shell'];

/** Hosted kinds that the service has a tool of its own for, which may be chosen by that name as well. */
const servedKinds: ReadonlyMap<string, HostedKind> = new Map([
  ['service:web_search', 'web_search'],
  ['service:image_generation', 'image_generation'],
  ['service:shell', 'shell'],
  ['service:apply_patch', 'apply_patch'],
]);

const named = { name: text({ minLength: 1 }), namespace: optional(text({ minLength: 1 })) };
const FunctionChoiceSchema = Type.Object({ type: choice('function'), ...named });
const CustomChoiceSchema = Type.Object({ type: choice('custom'), ...named });
const HostedChoiceSchema = Type.Object({ type: choice(...hosted, ...serviceTools, 'tool_search') });

const checkFunctionChoice = createChecker(FunctionChoiceSchema);
const checkCustomChoice = createChecker(CustomChoiceSchema);

/** The public schema of `tool_choice` (docs/spec/tools.md#tool-choice). */
export const ToolChoiceSchema: TSchema = anyOf(
  choice(...words),
  FunctionChoiceSchema,
  CustomChoiceSchema,
  AllowedToolsSchema,
  HostedChoiceSchema,
);

/** Which tools may be called, and how the response repeats the choice. */
export interface ReadToolChoice {
  readonly choice: ToolChoice;
  readonly echo: string | JsonObject;
}

/** Every tool a request offers, the gateway's own apart. */
export interface ChoosableTools {
  readonly tools: readonly Tool[];
  readonly serviceTools?: readonly ServiceTool[];
}

type ChoiceReader = (value: JsonObject, tools: OfferedTools) => ReadToolChoice;

const forms: KindTable<ChoiceReader> = {
  key: 'type',
  rows: new Map<string, ChoiceReader>([
    ['function', readFunctionChoice],
    ['custom', readCustomChoice],
    ['allowed_tools', (value, tools) => ({ choice: readAllowedTools(value, tools), echo: value })],
    ...hosted.map((name): [string, ChoiceReader] => [name, readHostedChoice]),
    ...Array.from(serviceTools, (name): [string, ChoiceReader] => [name, createServiceReader(name)]),
    ['tool_search', createServiceReader('service:tool_search')],
  ]),
};

/**
 * Reads `tool_choice`.
 * @param tools Every tool the request offers, which the choice must agree with.
 * @throws HeadgateError `invalid_request`, or `unprocessable` when it names a tool that is not there.
 */
export function readToolChoice(
  value: unknown,
  { tools, serviceTools = [] }: ChoosableTools,
  spell: Speller,
): ReadToolChoice {
  if (value === undefined || value === null) return { choice: { kind: 'auto' }, echo: 'auto' };
  if (typeof value === 'string') return readWord(value, tools.length + serviceTools.length);
  if (!isObject(value))
    throw malformed('tool_choice', `expected a string or an object, got ${nameOf(value)}`);
  refuseDeep(value, 'tool_choice');
  return rowFor(forms, value, 'tool_choice', spell)(value, new OfferedTools(tools, serviceTools));
}

function readWord(value: string, tools: number): ReadToolChoice {
  const kind = words.find((word) => word === value);
  if (kind === undefined) {
    throw malformed('tool_choice', `must be one of ${quoteAll(words)} or an object, got ${quote(value)}`);
  }
  if (kind === 'required' && tools === 0) {
    throw contradictory('tool_choice', '"required" needs at least one tool in tools');
  }
  return { choice: { kind }, echo: kind };
}

function readFunctionChoice(value: JsonObject, tools: OfferedTools): ReadToolChoice {
  return { choice: readNamed('function', checkFunctionChoice(value, 'tool_choice'), tools), echo: value };
}

function readCustomChoice(value: JsonObject, tools: OfferedTools): ReadToolChoice {
  // Clients reject a whole answer over a form they do not know, so this one is shown as its effect.
  return { choice: readNamed('custom', checkCustomChoice(value, 'tool_choice'), tools), echo: 'required' };
}

function readNamed(
  form: 'function' | 'custom',
  { name, namespace: stated }: { readonly name: string; readonly namespace?: string | null },
  tools: OfferedTools,
): ToolChoice {
  const namespace = tools.placeOf({ form, name, namespace: stated ?? undefined }, 'tool_choice.name');
  return { kind: 'tool', form, name, ...(namespace === undefined ? {} : { namespace }) };
}

function readHostedChoice(value: JsonObject, tools: OfferedTools): ReadToolChoice {
  const { tool } = tools.hosted(value, 'tool_choice');
  return { choice: { kind: 'hosted', tool, type: String(value.type) }, echo: value };
}

function createServiceReader(name: string): ChoiceReader {
  const kind = servedKinds.get(name);
  return (value, tools) => {
    const own = tools.ofService(name);
    if (own !== undefined) {
      const named = { kind: 'tool', form: 'function', name: serviceFunctionName(own.type) } as const;
      return { choice: named, echo: 'required' };
    }
    const found = tools.ofKind(kind);
    if (found === undefined) throw absentKind(value.type, 'tool_choice');
    return { choice: { kind: 'hosted', tool: found.tool, type: found.type }, echo: 'required' };
  };
}
