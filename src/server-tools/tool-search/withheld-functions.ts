import { offeredTools, qualifiedName } from '../../core/client-tools.ts';
import type { CanonicalChat, FunctionTool, Item, NamespaceTool, Tool } from '../../core/request.ts';
import type { WithheldTools } from '../server-tool.ts';

/** A function that is hidden until it is found, and the namespace it stands in. */
export interface HiddenFunction {
  readonly tool: FunctionTool;
  readonly namespace: NamespaceTool | undefined;
  /** Its qualified name. */
  readonly name: string;
}

/** The hidden functions of a request: of its tools, of namespaces, and of those that its items add. */
export function hiddenFunctions(request: Pick<CanonicalChat, 'tools' | 'items'>): readonly HiddenFunction[] {
  return offeredTools(request).flatMap((tool): readonly HiddenFunction[] => {
    if (isHidden(tool)) return [{ tool, namespace: undefined, name: tool.name }];
    if (tool.kind !== 'namespace') return [];
    return tool.tools.filter(isHidden).map((member) => ({
      tool: member,
      namespace: tool,
      name: qualifiedName(member.name, tool.name),
    }));
  });
}

function isHidden(tool: Tool): tool is FunctionTool {
  return tool.kind === 'function' && tool.deferred === true;
}

/** Functions of the client that its model is not offered until they are found. */
export class WithheldFunctions implements WithheldTools {
  readonly #hidden: Map<string, HiddenFunction>;
  readonly #found = new Map<string, HiddenFunction>();
  /** Qualified names by those that models are shown where a provider has no namespaces. */
  readonly #flat: ReadonlyMap<string, string>;

  constructor(functions: readonly HiddenFunction[]) {
    this.#hidden = new Map(functions.map((one) => [one.name, one]));
    this.#flat = new Map(
      functions.flatMap(({ tool, namespace, name }) =>
        namespace === undefined ? [] : [[`${namespace.name}__${tool.name}`, name] as const],
      ),
    );
  }

  /** Whether a function is hidden still, or found so late that the model was not offered it yet. */
  has(given: string): boolean {
    const name = this.#flat.get(given) ?? given;
    return this.#hidden.has(name) || this.#found.has(name);
  }

  /** A request without any of them. Namespaces of which nothing is left are left out. */
  hideIn<Some extends Pick<CanonicalChat, 'tools' | 'items'>>(request: Some): Some {
    const items = request.items.map((item): Item => {
      return item.kind === 'additional_tools' ? { ...item, tools: visible(item.tools) } : item;
    });
    return { ...request, tools: visible(request.tools), items };
  }

  /** Marks a function as found; nothing where it is not hidden. */
  find(name: string): void {
    const found = this.#hidden.get(name);
    if (found === undefined) return;
    this.#hidden.delete(name);
    this.#found.set(name, found);
  }

  /** The names of what was found since tools were shown last. */
  get found(): readonly string[] {
    return [...this.#found.keys()];
  }

  /**
   * Adds what was found since this was called last: from now on it is offered. It stands at the end, so that what was cached
   * before stays; members of a namespace that is there join it.
   */
  showIn(tools: readonly Tool[]): readonly Tool[] {
    let shown = tools;
    for (const { tool, namespace } of this.#found.values()) shown = withFound(shown, tool, namespace);
    this.#found.clear();
    return shown;
  }
}

function visible(tools: readonly Tool[]): readonly Tool[] {
  return tools.flatMap((tool): readonly Tool[] => {
    if (isHidden(tool)) return [];
    if (tool.kind !== 'namespace' || !tool.tools.some(isHidden)) return [tool];
    const members = tool.tools.filter((member) => !isHidden(member));
    return members.length === 0 ? [] : [{ ...tool, tools: members }];
  });
}

function withFound(
  tools: readonly Tool[],
  found: FunctionTool,
  namespace: NamespaceTool | undefined,
): readonly Tool[] {
  if (namespace === undefined) return [...tools, found];
  const at = tools.findIndex((tool) => tool.kind === 'namespace' && tool.name === namespace.name);
  const known = tools[at];
  if (known?.kind !== 'namespace') return [...tools, { ...namespace, tools: [found] }];
  return tools.with(at, { ...known, tools: [...known.tools, found] });
}
