import { clientTools } from '../../../core/client-tools.ts';
import type { HeadgateError } from '../../../core/errors.ts';
import type { HostedKind } from '../../../core/hosted.ts';
import type { HostedTool, NamespaceTool, ServiceTool, Tool } from '../../../core/request.ts';
import { contradictory, quote, show } from '../../../schema/fault.ts';
import type { JsonObject } from '../../../util/json.ts';
import { toolKinds } from './tool-kinds.ts';

/** A tool of the client as a choice names it. */
export interface NamedTool {
  readonly form: 'function' | 'custom';
  readonly name: string;
  readonly namespace?: string;
}

/** Where a tool of the client stands: in a namespace, or outside of all. */
type Place = string | undefined;

/** The tools of a request by what a choice calls them: a choice may name as many as there are. */
export class OfferedTools {
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
export function absentKind(type: unknown, path: string): HeadgateError {
  return contradictory(`${path}.type`, `tools holds no ${show(type)} tool`);
}

function addFirst<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (!map.has(key)) map.set(key, value);
}
