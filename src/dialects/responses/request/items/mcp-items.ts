import { anyObject, byType, flag, list, optional, Type, text } from '../../../../util/json-schema.ts';
import { hostedItem } from './hosted-item.ts';
import { statusOf, usualStatuses } from './status.ts';

// Some providers tell an error as an object; what they sent must be accepted back.
const error = optional(byType(text(), anyObject()));
const call = { server_label: text(), name: text(), arguments: text() };

const ListedToolSchema = Type.Object({
  name: text(),
  input_schema: anyObject(),
  description: optional(text()),
  annotations: Type.Optional(Type.Unknown()),
});

/** Items of MCP servers that a provider talks to (docs/spec/items.md#kinds). */
export const mcpItems = {
  mcp_list_tools: hostedItem('mcp_list_tools', {
    server_label: text(),
    tools: list(ListedToolSchema),
    error,
  }),
  // The response to it names the id, so here one is needed.
  mcp_approval_request: hostedItem('mcp_approval_request', { id: text(), ...call }),
  mcp_approval_response: hostedItem('mcp_approval_response', {
    approval_request_id: text(),
    approve: flag(),
    reason: optional(text()),
  }),
  mcp_call: hostedItem(
    'mcp_call',
    { ...call, output: optional(text()), error, approval_request_id: optional(text()) },
    statusOf(...usualStatuses, 'failed'),
  ),
} as const;
