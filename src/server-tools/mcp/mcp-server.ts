import { createHash } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type { ServiceTool } from '../../core/request.ts';
import { allowsTarget, type EgressRules, type EgressSettings } from '../../egress/egress-rules.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { McpSettings } from './mcp-settings.ts';

/** One MCP server of a request: where it is, what it is asked with, and which of its tools may be called. */
export interface McpServer {
  readonly label: string;
  readonly url: string;
  /** Credentials among them: never shown, logged or stored. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the operator declared it, which may be a private address. */
  readonly isOwn: boolean;
  readonly description: string | undefined;
  /** Undefined for all. */
  readonly allowedTools: ReadonlySet<string> | undefined;
  /** Whether tools that may change something are left out. */
  readonly readOnly: boolean;
  needsApproval(tool: string): boolean;
}

const labelForm = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The MCP servers that a request lists (docs/spec/mcp.md#servers).
 * @throws HeadgateError `invalid_request`.
 */
export function readServers(entries: readonly ServiceTool[], settings: McpSettings): readonly McpServer[] {
  if (entries.length > settings.maxServers) {
    const problem = `tools: at most ${settings.maxServers} MCP servers may be listed, got ${entries.length}`;
    throw new HeadgateError('invalid_request', problem);
  }
  return entries.map(({ settings: entry }) => readServer(entry, settings));
}

function readServer(entry: JsonObject, settings: McpSettings): McpServer {
  const label = String(entry.server_label);
  if (!labelForm.test(label)) throw wrong(label, 'must have 1 to 64 letters, digits, "_" or "-"');
  const { names, readOnly } = readAllowed(entry.allowed_tools);
  return {
    label,
    ...placeOf(label, entry, settings),
    description: typeof entry.server_description === 'string' ? entry.server_description : undefined,
    allowedTools: names,
    readOnly,
    needsApproval: approvalOf(entry.require_approval),
  };
}

/** Where the server is: the address of the request, else the operator's server of that label. */
function placeOf(
  label: string,
  { server_url, authorization, headers }: JsonObject,
  settings: McpSettings,
): Pick<McpServer, 'url' | 'headers' | 'isOwn'> {
  if (typeof server_url !== 'string') {
    const own = Object.hasOwn(settings.servers, label) ? settings.servers[label] : undefined;
    if (own === undefined)
      throw wrong(label, 'has no server_url, and this server declares none of that label');
    const secrets = Object.entries(own.headers).map(([name, value]) => [name, value.reveal()]);
    return { url: own.url, headers: Object.fromEntries(secrets), isOwn: true };
  }
  if (!URL.canParse(server_url)) throw wrong(label, 'has a server_url that is no URL');
  const { hostname } = new URL(server_url);
  if (settings.allowedHosts.length > 0 && !settings.allowedHosts.some((host) => names(host, hostname))) {
    throw wrong(label, 'has a server_url whose host is not allowed here');
  }
  const given = isObject(headers) ? Object.entries(headers) : [];
  const sent = given.flatMap(([name, value]) =>
    ours.has(name.toLowerCase()) ? [] : [[name.toLowerCase(), String(value)] as const],
  );
  const bearer: Record<string, string> =
    typeof authorization === 'string' ? { authorization: bearerOf(authorization) } : {};
  return {
    url: server_url,
    headers: { ...Object.fromEntries(sent), ...bearer },
    isOwn: false,
  };
}

/** Headers that belong to the connection or the protocol. */
const ours = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'host',
  'mcp-session-id',
  'transfer-encoding',
]);

function bearerOf(token: string): string {
  return /^\S+\s+\S/.test(token) ? token : `Bearer ${token}`;
}

function names(entry: string, host: string): boolean {
  const wanted = entry.toLowerCase();
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) : host === wanted;
}

function readAllowed(value: unknown): {
  readonly names: ReadonlySet<string> | undefined;
  readonly readOnly: boolean;
} {
  if (Array.isArray(value)) return { names: new Set(value.map(String)), readOnly: false };
  if (!isObject(value)) return { names: undefined, readOnly: false };
  const { tool_names: listed, read_only } = value;
  return {
    names: Array.isArray(listed) ? new Set(listed.map(String)) : undefined,
    readOnly: read_only === true,
  };
}

/** Tools are called without approval only where the request says so. */
function approvalOf(value: unknown): (tool: string) => boolean {
  if (value === 'never') return () => false;
  if (!isObject(value)) return () => true;
  const never = new Set(toolNames(value.never));
  const always = new Set(toolNames(value.always));
  return (tool) => always.has(tool) || !never.has(tool);
}

function toolNames(value: unknown): readonly string[] {
  return isObject(value) && Array.isArray(value.tool_names) ? value.tool_names.map(String) : [];
}

function wrong(label: string, problem: string): HeadgateError {
  return new HeadgateError('invalid_request', `tools: the MCP server ${JSON.stringify(label)} ${problem}`);
}

/** @throws HeadgateError when credentials would travel in the open. */
export function refuseInsecure({ url, label, isOwn }: McpServer, rules: EgressRules): void {
  const address = new URL(url);
  if (isOwn || address.protocol !== 'http:' || allowsTarget(rules, address)) return;
  throw wrong(label, 'has a server_url without https');
}

/** What distinguishes lists of tools: the server, and what it is asked with. */
export function listKeyOf({ url, headers }: McpServer): string {
  return createHash('sha256')
    .update(JSON.stringify([url, Object.entries(headers).sort()]))
    .digest('base64');
}

/**
 * The rules of requests to a server: those of addresses that clients name, and for one of the operator's none but that it is
 * this one.
 */
export function egressOf({ url, isOwn }: McpServer, usual: EgressSettings): EgressSettings {
  if (!isOwn) return usual;
  const { hostname, port, protocol } = new URL(url);
  return { ...usual, allow: [`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`], deny: [] };
}
