import type { CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { HeadgateError } from '../../core/errors.ts';
import { EgressFailure } from '../../egress/egress-failure.ts';
import type { EgressGuard } from '../../egress/egress-guard.ts';
import { refuseDeep } from '../../schema/refuse-deep.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import type { McpServer } from './mcp-server.ts';

/** A tool as its server lists it. */
export interface McpToolDefinition {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: JsonObject;
  readonly annotations?: JsonObject;
}

/**
 * The connection of one request to one MCP server (docs/spec/mcp.md#connections): opened at its first use, closed with the
 * request. It understands no requests of the server and keeps no stream open for them.
 */
export class McpSession {
  readonly #server: McpServer;
  readonly #guard: EgressGuard;
  readonly #limits: McpLimits;
  readonly #signal: AbortSignal;
  #opened: Promise<{ client: Client; transport: StreamableHTTPClientTransport }> | undefined;

  constructor(server: McpServer, guard: EgressGuard, limits: McpLimits, signal: AbortSignal) {
    this.#server = server;
    this.#guard = guard;
    this.#limits = limits;
    this.#signal = signal;
  }

  /** Lists the tools, of all pages. @throws HeadgateError saying why it could not. */
  list(): Promise<readonly McpToolDefinition[]> {
    return this.#with(async ({ client }) => {
      const { tools } = await client.listTools(undefined, this.#options());
      refuseDeep(tools, 'tools');
      return tools.map(({ name, description, inputSchema, annotations }) => ({
        name,
        ...(description !== undefined && { description }),
        input_schema: { ...inputSchema },
        ...(isObject(annotations) && { annotations }),
      }));
    });
  }

  /** Calls a tool. @throws HeadgateError when there is no result of it. */
  call(name: string, input: JsonObject): Promise<CallToolResult> {
    return this.#with(async ({ client }) => client.callTool({ name, arguments: input }, this.#options()));
  }

  /** Ends the session at the server; never fails. */
  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    this.#opened = undefined;
    await opened?.transport.terminateSession().catch(() => undefined);
    await opened?.client.close().catch(() => undefined);
  }

  #options() {
    const { timeout } = this.#limits;
    return { signal: this.#signal, timeout, maxTotalTimeout: timeout };
  }

  async #with<Value>(
    use: (connection: { client: Client; transport: StreamableHTTPClientTransport }) => Promise<Value>,
  ): Promise<Value> {
    try {
      this.#opened ??= this.#open();
      return await use(await this.#opened);
    } catch (thrown) {
      this.#signal.throwIfAborted();
      throw failureOf(this.#server, thrown);
    }
  }

  async #open() {
    // Large, and most processes never need it.
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const transport = new StreamableHTTPClientTransport(new URL(this.#server.url), {
      fetch: guardedFetch(this.#guard, this.#server, this.#limits),
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1,
        maxReconnectionDelay: 1,
        reconnectionDelayGrowFactor: 1,
      },
    });
    const client = new Client(
      { name: 'headgate', version: '1' },
      { capabilities: {}, versionNegotiation: { mode: 'auto' }, listMaxPages: 16 },
    );
    try {
      await client.connect(transport, this.#options());
    } catch (thrown) {
      this.#opened = undefined;
      await client.close().catch(() => undefined);
      throw thrown;
    }
    return { client, transport };
  }
}

const longestReason = 300;

/** Says which server failed; the words are those of the server or of the guard, which never tell addresses. */
function failureOf({ label }: McpServer, thrown: unknown): HeadgateError {
  const known = egressCause(thrown);
  const reason = known?.message ?? (thrown instanceof Error ? thrown.message : 'no reason is known');
  const text = reason.length > longestReason ? `${reason.slice(0, longestReason)}...` : reason;
  return new HeadgateError('invalid_request', `The MCP server "${label}" failed: ${text}`, {
    cause: known ?? thrown,
  });
}

function egressCause(thrown: unknown): HeadgateError | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof HeadgateError) return error;
  }
  return undefined;
}

const withoutBody: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * What the SDK fetches by: the egress guard, with the credentials of the server, to no other origin than its own. Redirects are
 * not followed. Streams of the server's own requests are refused.
 */
function guardedFetch(guard: EgressGuard, server: McpServer, { timeout, maxBody }: McpLimits) {
  const { origin } = new URL(server.url);
  return async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const method = init.method === 'POST' || init.method === 'DELETE' ? init.method : 'GET';
    if (method === 'GET') return new Response(null, { status: 405 });
    if (url.origin !== origin) throw new EgressFailure('refused', 'The server named another address.');
    const answer = await guard.open({
      url: url.href,
      method,
      headers: { ...server.headers, ...Object.fromEntries(new Headers(init.headers)) },
      ...(typeof init.body === 'string' && { body: init.body }),
      signal: init.signal ?? new AbortController().signal,
      timeout,
      maxBody,
    });
    const { status, headers, body } = answer;
    if (status < 200) throw new EgressFailure('unsupported', 'The server answered in an unknown form.');
    if (!withoutBody.has(status)) return new Response(body, { status, headers });
    await body.cancel();
    return new Response(null, { status, headers });
  };
}

/** What a server may take. */
interface McpLimits {
  /** Milliseconds of one request. */
  readonly timeout: number;
  /** Bytes of one answer. */
  readonly maxBody: number;
}
