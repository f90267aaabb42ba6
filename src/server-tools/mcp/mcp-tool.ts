import type { InferenceRequest } from '../../core/inference-request.ts';
import type { JsonObject } from '../../util/json.ts';
import { entryOf, type ServerTool } from '../server-tool.ts';
import { mcpType } from './mcp-offer.ts';
import { McpOpening, type McpServices } from './mcp-opening.ts';

/**
 * Tools of MCP servers, which the gateway asks where no endpoint does (docs/spec/mcp.md). They are listed as `mcp`, one entry a
 * server.
 */
export function mcpTool(services: McpServices): ServerTool {
  const { settings } = services;
  return {
    type: mcpType,
    replaces: {
      kind: 'mcp',
      item: 'mcp_call',
      repeats: true,
      isReady: () => settings().enabled,
      takes: (entry) => isOurs(entry, settings().prefer),
    },
    concerns: (request) => entryOf(request, mcpType) !== undefined || listsServer(request, services),
    // Known only once the servers were asked.
    offer: () => [],
    open: (request, context) =>
      entryOf(request, mcpType) === undefined ? undefined : new McpOpening(request, context, services).open(),
  };
}

/** Whether a request lists a server that the gateway might ask. */
function listsServer({ canonical }: InferenceRequest, { settings }: McpServices): boolean {
  for (const tool of canonical.tools) {
    if (tool.kind === 'hosted' && tool.tool === 'mcp') return settings().enabled;
  }
  return false;
}

/** Connectors are services of a provider, and only the gateway knows the operator's servers. */
function isOurs(
  { server_url: url, connector_id: connector }: JsonObject,
  prefer: 'native' | 'gateway',
): boolean | undefined {
  if (connector !== undefined) return false;
  return url === undefined || prefer === 'gateway' ? true : undefined;
}
