import type { FunctionTool } from '../../core/request.ts';
import type { JsonObject } from '../../util/json.ts';
import type { ToolContext, ToolOffer, ToolResult } from '../server-tool.ts';
import { mcpFunctionName } from './function-name.ts';
import type { McpApprovals } from './mcp-approvals.ts';
import type { McpLink, McpOutcome } from './mcp-link.ts';
import type { McpToolDefinition } from './mcp-session.ts';

/** The type id of tools of MCP servers inside the gateway; clients see items of their own kinds. */
export const mcpType = 'service:mcp';

/** The functions of a server, one for each of its tools. */
export function mcpOffers(link: McpLink, approvals: McpApprovals): readonly ToolOffer[] {
  return Array.from(link.tools.values(), (tool) =>
    link.server.needsApproval(tool.name) ? askFirst(link, tool, approvals) : callAtOnce(link, tool),
  );
}

function callAtOnce(link: McpLink, tool: McpToolDefinition): ToolOffer {
  const fieldsOf = (written: string) => callFields(link, tool.name, written);
  return {
    type: mcpType,
    as: 'mcp_call',
    idPrefix: 'mcp_',
    definition: functionOf(link, tool),
    leaves: true,
    announce: (_input, written) => fieldsOf(written),
    failed: (input) => fieldsOf(JSON.stringify(input)),
    async run(input: JsonObject, { written }: ToolContext): Promise<ToolResult> {
      return resultOf(fieldsOf(written), await link.call(tool.name, input));
    },
  };
}

/** A tool that is called only once the client has approved the call: asking for that ends the answer. */
function askFirst(link: McpLink, tool: McpToolDefinition, approvals: McpApprovals): ToolOffer {
  const { label, url } = link.server;
  return {
    type: mcpType,
    as: 'mcp_approval_request',
    idPrefix: 'mcpr_',
    definition: functionOf(link, tool),
    hidesFailures: true,
    async run(_input, { written, keyHash }) {
      const { name } = tool;
      const id = approvals.idOf({ keyHash, label, url, name, input: written }, tool);
      return {
        output: 'The call waits for approval.',
        fields: callFields(link, name, written),
        id,
        ends: true,
      };
    },
  };
}

/** What the model reads of a call, and what the client sees. */
export function resultOf(fields: JsonObject, { text, pictured, isError }: McpOutcome): ToolResult {
  return {
    output: text,
    pictured,
    fields: { ...fields, ...(isError ? { error: text } : { output: text }) },
    status: isError ? 'failed' : 'completed',
  };
}

/** The members that every item of a call has. */
export function callFields({ server }: McpLink, name: string, written: string): JsonObject {
  return { server_label: server.label, name, arguments: written };
}

function functionOf({ server }: McpLink, tool: McpToolDefinition): FunctionTool {
  const about = [server.description, tool.description].filter((text) => text !== undefined && text !== '');
  return {
    kind: 'function',
    name: mcpFunctionName(server.label, tool.name),
    ...(about.length > 0 && { description: about.join('\n\n') }),
    parameters: tool.input_schema,
  };
}
