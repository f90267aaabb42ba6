import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { freePort } from '../support/free-port.ts';

/** A request as the server was sent it. */
export interface McpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The method of the protocol, such as `tools/call`. */
  readonly rpc: string | undefined;
}

/** The reference server of the protocol in a process of its own, behind a proxy that notes what it is sent. */
export interface McpTestServer {
  readonly url: string;
  readonly port: number;
  readonly seen: McpRequest[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts `@modelcontextprotocol/server-everything` over streamable HTTP on loopback. */
export async function startMcpServer(): Promise<McpTestServer> {
  const port = await freePort();
  const main = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-everything/dist/index.js',
  );
  const env = { PATH: process.env.PATH ?? '', PORT: String(port) };
  const child = spawn(process.execPath, [main, 'streamableHttp'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (data: Buffer) => {
    said += data.toString();
  });
  while (!/listening/i.test(said)) await once(child.stderr, 'data');
  const seen: McpRequest[] = [];
  const proxy = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = '', headers, url } = incoming;
    seen.push({ method, headers, rpc: body.length > 0 ? JSON.parse(body.toString()).method : undefined });
    const { connection: _hop, ...passed } = headers;
    const onward = request(
      { port, host: '127.0.0.1', path: url, method, headers: passed, agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    onward.end(body);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port: open } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${open}/mcp`,
    port: open,
    seen,
    async [Symbol.asyncDispose]() {
      proxy.close();
      proxy.closeAllConnections();
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}
