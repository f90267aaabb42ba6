import { clientTools } from '../../../core/client-tools.ts';
import type { HeadgateError } from '../../../core/errors.ts';
import type { HostedTool, JsonObject, Tool } from '../../../core/request.ts';
import { contradictory, quote, show } from '../fault.ts';
import { toolKinds } from './tool-kinds.ts';

/**
 * Sees to it that a tool of the client's is there; those inside namespaces count by their own names.
 * @throws HeadgateError `unprocessable`.
 */
export function requireTool(
  form: 'function' | 'custom',
  name: string,
  tools: readonly Tool[],
  path: string,
): void {
  if (clientTools(tools).some(({ tool }) => tool.kind === form && tool.name === name)) return;
  throw contradictory(path, `tools holds no ${form} tool named ${quote(name)}`);
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
