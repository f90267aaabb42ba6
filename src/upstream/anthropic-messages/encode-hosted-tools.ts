import type * as Beta from '@anthropic-ai/sdk/resources/beta/messages';
import type { Provider } from '../../core/catalogue.ts';
import type { HostedKind } from '../../core/hosted.ts';
import type { HostedTool } from '../../core/request.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { countOf, textOf } from '../lenient.ts';
import { refusal } from '../refusal.ts';
import { toolVersion } from './quirks.ts';

/** What hosted tools add to a request. */
export interface EncodedHostedTools {
  readonly tools: JsonObject[];
  readonly mcpServers: Beta.BetaRequestMCPServerURLDefinition[];
  /** Id of a sandbox to reuse. */
  readonly container?: string;
  /** Ids of files to copy into the sandbox. */
  readonly uploads: readonly string[];
  readonly betas: string[];
}

/** The dialect's names of the tools that a choice may force. */
export const hostedNames: Partial<Record<HostedKind, string>> = {
  web_search: 'web_search',
  code_interpreter: 'code_execution',
};

/**
 * Encodes hosted tools in the dialect's own form.
 * @param maxCalls How many hosted calls the request allows.
 * @throws HeadgateError `upstream_invalid_request` for settings that the dialect cannot honour.
 */
export function encodeHostedTools(
  tools: readonly HostedTool[],
  provider: Provider,
  maxCalls: number | undefined,
): EncodedHostedTools {
  const interpreter = tools.find(({ tool }) => tool === 'code_interpreter')?.settings.container;
  const servers = tools.filter(({ tool }) => tool === 'mcp');
  return {
    tools: tools.map((tool) => encodeHostedTool(tool, provider, maxCalls)),
    mcpServers: servers.map(({ settings }) => mcpServer(settings)),
    container: textOf(interpreter),
    uploads: isObject(interpreter) ? textsOf(interpreter.file_ids) : [],
    betas: servers.length > 0 ? ['mcp-client-2025-11-20'] : [],
  };
}

function encodeHostedTool(
  { tool, settings }: HostedTool,
  provider: Provider,
  maxCalls: number | undefined,
): JsonObject {
  switch (tool) {
    case 'web_search':
      return webSearch(settings, toolVersion(provider, tool, 'web_search_20250305'), maxCalls);
    case 'code_interpreter': {
      const type = toolVersion(provider, tool, 'code_execution_20250825');
      return { type, name: 'code_execution' };
    }
    case 'mcp':
      return mcpToolset(settings);
    default:
      throw refusal(`no hosted tool ${tool}`);
  }
}

/**
 * The dialect accepts either allowed or blocked domains, so blocked ones are removed from the allowed ones.
 * @throws HeadgateError `upstream_invalid_request` where none is left, because everything else would be searched.
 */
function webSearch(settings: JsonObject, type: string, maxCalls: number | undefined): JsonObject {
  const filters = isObject(settings.filters) ? settings.filters : {};
  const blocked = [...textsOf(filters.blocked_domains), ...textsOf(filters.excluded_domains)];
  const listed = textsOf(filters.allowed_domains);
  const allowed = listed.filter((domain) => !blocked.includes(domain));
  if (listed.length > 0 && allowed.length === 0)
    throw refusal('no web search whose allowed domains are all blocked');
  return {
    type,
    name: 'web_search',
    max_uses: countOf(settings.max_uses) ?? maxCalls,
    allowed_domains: allowed.length > 0 ? allowed : undefined,
    blocked_domains: allowed.length === 0 && blocked.length > 0 ? blocked : undefined,
    user_location: isObject(settings.user_location)
      ? { ...settings.user_location, type: 'approximate' }
      : undefined,
  };
}

/** Whether a tool is no MCP server, or one that the dialect can describe. */
export function isTakenServer({ tool, settings }: HostedTool): boolean {
  if (tool !== 'mcp') return true;
  const { server_url, require_approval, headers, allowed_tools: allowed } = settings;
  if (isObject(allowed) && allowed.read_only === true) return false;
  const known =
    !isObject(headers) || Object.keys(headers).every((name) => name.toLowerCase() === 'authorization');
  return textOf(server_url) !== undefined && require_approval === 'never' && known;
}

function mcpServer(settings: JsonObject): Beta.BetaRequestMCPServerURLDefinition {
  const url = textOf(settings.server_url);
  if (url === undefined) throw refusal('MCP servers by URL only');
  // The provider would run calls for which the client wants to be asked.
  if (settings.require_approval !== 'never') throw refusal('MCP servers only with `require_approval` never');
  return {
    type: 'url',
    name: labelOf(settings),
    url,
    authorization_token: textOf(settings.authorization) ?? bearerOf(settings.headers),
  };
}

function mcpToolset(settings: JsonObject): JsonObject {
  const allowed = settings.allowed_tools;
  const names = textsOf(isObject(allowed) ? allowed.tool_names : allowed);
  const toolset = { type: 'mcp_toolset', mcp_server_name: labelOf(settings) };
  if (names.length === 0) return toolset;
  const configs = Object.fromEntries(names.map((name) => [name, { enabled: true }]));
  return { ...toolset, default_config: { enabled: false }, configs };
}

function labelOf(settings: JsonObject): string {
  return textOf(settings.server_label) ?? 'mcp';
}

/** The bearer token: the only header that the dialect passes on. */
function bearerOf(headers: unknown): string | undefined {
  if (!isObject(headers)) return undefined;
  const entries = Object.entries(headers).filter(([, value]) => typeof value === 'string');
  if (entries.some(([name]) => name.toLowerCase() !== 'authorization')) {
    throw refusal('no headers for MCP servers but the authorization');
  }
  return textOf(entries[0]?.[1])?.replace(/^bearer\s+/i, '');
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}
