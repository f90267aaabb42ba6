import { createHash } from 'node:crypto';
import { offeredTools, qualifiedName } from '../core/client-tools.ts';
import type { CustomTool, FunctionTool, Item, NamespaceTool, Tool, ToolChoice } from '../core/request.ts';
import type { RequestRewriter } from './request-rewriter.ts';
import type { Restorer } from './translation.ts';

/** The longest function name that every provider accepts. */
const longestName = 64;
const hashLength = 8;

interface FlatTool {
  readonly namespace: string;
  readonly name: string;
}

/** Rewrites the tools of a namespace as tools with prefixed names, `<namespace>__<name>` (docs/spec/tools.md#kinds). */
export function flattenNamespaces(rewriter: RequestRewriter): void {
  if (rewriter.emulationOf('tool.namespace') === undefined) return;
  const names = new FlatNames(offeredTools(rewriter.request));
  rewriter.mapTools((tool) => (tool.kind === 'namespace' ? flatten(tool, names) : tool));
  rewriter.mapItems((item) => flattenCall(item, names));
  rewriter.change({ toolChoice: flattenChoice(rewriter.request.toolChoice, names) });
  rewriter.note(
    'tool.namespace',
    'emulated',
    'tools are offered as <namespace>__<name>, without output schemas',
  );
  if (names.tools.size > 0) rewriter.restorers.push(createUnflattener(names.tools));
}

/** The flat names of namespaced tools: deterministic and unique. */
class FlatNames {
  /** The original tool of each flat name, for the offered tools. */
  readonly tools = new Map<string, FlatTool>();
  readonly #byTool = new Map<string, string>();
  readonly #taken: Set<string>;

  constructor(tools: readonly Tool[]) {
    this.#taken = new Set(
      tools.flatMap((tool) => ('name' in tool && tool.kind !== 'namespace' ? tool.name : [])),
    );
    for (const tool of tools) {
      if (tool.kind !== 'namespace') continue;
      for (const { name } of tool.tools) this.#offer(tool.name, name);
    }
  }

  /** Includes tools that are no longer offered. */
  of(namespace: string, name: string): string {
    const known = this.#byTool.get(qualifiedName(name, namespace));
    if (known !== undefined) return known;
    const flat = `${namespace}__${name}`;
    return fits(flat) && !this.#taken.has(flat) ? flat : shorten(flat);
  }

  /** By the qualified name; a tool outside all namespaces keeps its name. */
  flat(qualified: string): string {
    return this.#byTool.get(qualified) ?? qualified;
  }

  #offer(namespace: string, name: string): void {
    const flat = this.of(namespace, name);
    this.#taken.add(flat);
    this.#byTool.set(qualifiedName(name, namespace), flat);
    this.tools.set(flat, { namespace, name });
  }
}

function fits(name: string): boolean {
  return name.length <= longestName && /^[\w-]+$/.test(name);
}

function shorten(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength);
  const readable = name.replace(/[^\w-]/g, '_').slice(0, longestName - hashLength - 1);
  return `${readable}_${hash}`;
}

function flatten(namespace: NamespaceTool, names: FlatNames): readonly (FunctionTool | CustomTool)[] {
  return namespace.tools.map((tool) => {
    const name = names.of(namespace.name, tool.name);
    const description = [namespace.description, tool.description].filter(Boolean).join('\n\n');
    if (tool.kind === 'custom') return { ...tool, name, description };
    const { outputSchema: _schema, allowedCallers: _callers, ...rest } = tool;
    return { ...rest, name, description };
  });
}

function flattenCall(item: Item, names: FlatNames): Item {
  if (item.kind !== 'call' || item.namespace === undefined) return item;
  const { namespace, ...call } = item;
  return { ...call, name: names.of(namespace, item.name) };
}

function flattenChoice(choice: ToolChoice, names: FlatNames): ToolChoice {
  if (choice.kind === 'allowed') {
    return { ...choice, names: choice.names.map((name) => names.flat(name)) };
  }
  if (choice.kind !== 'tool' || choice.namespace === undefined) return choice;
  const { namespace, ...named } = choice;
  return { ...named, name: names.of(namespace, choice.name) };
}

function createUnflattener(tools: ReadonlyMap<string, FlatTool>): Restorer {
  return (delta, emit) => {
    const tool = delta.kind === 'call' ? tools.get(delta.name) : undefined;
    emit(delta.kind === 'call' && tool !== undefined ? { ...delta, ...tool } : delta);
  };
}
