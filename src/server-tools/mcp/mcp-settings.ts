import type { Secret } from '../../util/secret.ts';

/** A server of the operator's own, which requests name by its label. */
export interface McpServerSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, Secret>>;
}

/** What the operator says of MCP servers (docs/spec/mcp.md). */
export interface McpSettings {
  readonly enabled: boolean;
  /** Hosts that requests may name, `*.` for all below one; any public host where empty. */
  readonly allowedHosts: readonly string[];
  readonly servers: Readonly<Record<string, McpServerSettings>>;
  /** Who asks a server where an endpoint could as well. */
  readonly prefer: 'native' | 'gateway';
  /** What becomes of a request whose server cannot be listed. */
  readonly onListFailure: 'fail' | 'continue';
  /** Of a request. */
  readonly maxServers: number;
  /** Of a server. */
  readonly maxTools: number;
  /** Milliseconds. */
  readonly callTimeout: number;
  /** Characters of a result. */
  readonly resultLimit: number;
  /** Milliseconds for which a list is kept. */
  readonly listTtl: number;
}
