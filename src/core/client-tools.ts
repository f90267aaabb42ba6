import type { CanonicalChat, CanonicalEmbedding, CustomTool, FunctionTool, Tool } from './request.ts';

/** A tool that the client runs, and its namespace. */
export interface ClientTool {
  readonly tool: FunctionTool | CustomTool;
  readonly namespace?: string;
}

/** Every tool of a request: the initial ones, then those that its items add (docs/spec/items.md#additional-tools). */
export function offeredTools(
  request: Pick<CanonicalChat, 'tools' | 'items'> | CanonicalEmbedding,
): readonly Tool[] {
  if (!('tools' in request)) return [];
  const { tools, items } = request;
  if (!items.some((item) => item.kind === 'additional_tools')) return tools;
  return [...tools, ...items.flatMap((item) => (item.kind === 'additional_tools' ? item.tools : []))];
}

/** The tools that the client runs, in order, including those inside namespaces. */
export function clientTools(tools: readonly Tool[]): readonly ClientTool[] {
  return tools.flatMap((tool): readonly ClientTool[] => {
    if (tool.kind === 'namespace')
      return tool.tools.map((member) => ({ tool: member, namespace: tool.name }));
    return tool.kind === 'hosted' ? [] : [{ tool }];
  });
}

/**
 * A unique text for the name of a client's tool and its namespace, because tools of two namespaces may share a name.
 */
export function qualifiedName(name: string, namespace?: string): string {
  return namespace === undefined ? name : `${namespace}.${name}`;
}

const noNames: ReadonlySet<string> = new Set();

/** Qualified names of the tools whose calls need not wait for an output (docs/spec/tools.md#asynchronous-tools). */
export function asyncToolNames(tools: readonly Tool[]): ReadonlySet<string> {
  const waiting = clientTools(tools).filter(({ tool }) => tool.async === true);
  if (waiting.length === 0) return noNames;
  return new Set(waiting.map(({ tool, namespace }) => qualifiedName(tool.name, namespace)));
}
