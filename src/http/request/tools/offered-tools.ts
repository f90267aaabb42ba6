import { type ClientTool, clientTools } from '../../../core/client-tools.ts';
import type { HeadgateError } from '../../../core/errors.ts';
import type { HostedTool, JsonObject, Tool } from '../../../core/request.ts';
import { contradictory, quote, show } from '../fault.ts';
import { toolKinds } from './tool-kinds.ts';

/** A tool of the client as a choice names it. */
export interface NamedTool {
  readonly form: 'function' | 'custom';
  readonly name: string;
  readonly namespace?: string;
}

/**
 * The tools of the client that a name means: those of the namespace it states, else the one outside of namespaces,
 * else those of that name in any.
 * @throws HeadgateError `unprocessable` when there is none.
 */
export function requireTools(
  { form, name, namespace }: NamedTool,
  tools: readonly Tool[],
  path: string,
): readonly ClientTool[] {
  const found = clientTools(tools).filter(({ tool }) => tool.kind === form && tool.name === name);
  const exact = found.filter((entry) => entry.namespace === namespace);
  if (exact.length > 0) return exact;
  if (namespace === undefined && found.length > 0) return found;
  const place = namespace === undefined ? '' : ` in a namespace ${quote(namespace)}`;
  throw contradictory(path, `tools holds no ${form} tool named ${quote(name)}${place}`);
}

/**
 * The one tool of the client that a name means.
 * @throws HeadgateError `unprocessable` when there is none, or one in each of several namespaces.
 */
export function requireTool(named: NamedTool, tools: readonly Tool[], path: string): ClientTool {
  const [only, ...others] = requireTools(named, tools, path);
  if (only !== undefined && others.length === 0) return only;
  throw contradictory(path, `${quote(named.name)} is in several namespaces: say which with "namespace"`);
}

/**
 * The hosted tool that a choice means, in whatever version either of them spells it; for MCP the label counts too.
 * @throws HeadgateError `unprocessable` when there is none.
 */
export function requireHosted(choice: JsonObject, tools: readonly Tool[], path: string): HostedTool {
  const kind = typeof choice.type === 'string' ? toolKinds.rows.get(choice.type)?.hosted : undefined;
  const found = tools.find(
    (tool) =>
      tool.kind === 'hosted' &&
      tool.tool === kind &&
      (choice.server_label === undefined || choice.server_label === tool.settings.server_label),
  );
  if (found?.kind !== 'hosted') throw absentKind(choice.type, path);
  return found;
}

/** A 422: no tool of the kind is there. */
export function absentKind(type: unknown, path: string): HeadgateError {
  return contradictory(`${path}.type`, `tools holds no ${show(type)} tool`);
}
