import type { HostedItem, ServiceItem } from '../../../core/request.ts';
import type { JsonObject } from '../../../util/json.ts';

/** The name of a tool of an MCP server: its label, then its own name. */
const mcpName = /^mcp__(.+?)__(.+)$/s;

/**
 * Reads a call that the gateway ran, as an earlier answer recorded it (docs/spec/chat.md#reasoning): the item that
 * `POST /responses` would have given. Undefined for a record that names no tool.
 */
export function readServerToolCall(detail: JsonObject): ServiceItem | HostedItem | undefined {
  const { tool_name: name, tool_call_id: id, arguments: input, result } = detail;
  if (typeof name !== 'string') return undefined;
  const callId = typeof id === 'string' && id !== '' ? id : undefined;
  const given = textOf(input) ?? '{}';
  const output = textOf(result) ?? '';
  const [, server_label, tool] = mcpName.exec(name) ?? [];
  if (server_label !== undefined) {
    const fields = { server_label, name: tool, arguments: given, output };
    return { kind: 'hosted', type: 'mcp_call', id: callId, status: 'completed', fields };
  }
  if (!isServiceName(name)) return undefined;
  return { kind: 'service', type: name, fields: { call_id: callId, arguments: given, result: output } };
}

function isServiceName(name: string): name is `service:${string}` {
  return /^service:\w+$/.test(name);
}

/** Texts as they were written; values of clients that parsed them as JSON again. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
