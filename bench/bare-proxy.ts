import { createServer, type ServerResponse } from 'node:http';
import { Pool } from 'undici';
import { startKeeper } from './promise-keeper.ts';

/**
 * The minimum cost of any gateway written in Node: it takes a JSON request over node:http, parses it, sends it on
 * with undici over kept-alive connections, and returns the answer. Unstreamed answers are parsed and written again,
 * streams are passed through as bytes. It checks, translates, meters and stores nothing. Environment: PORT to listen
 * on, UPSTREAM_ORIGIN to send to, and what `promise-keeper.ts` reads for the part that measures the cost of the
 * promises alone; unstreamed answers then wait for them.
 */

const keeper = await startKeeper(process.env);

const upstream = new Pool(process.env.UPSTREAM_ORIGIN ?? 'http://127.0.0.1:9100', {
  pipelining: 1,
  keepAliveTimeout: 60_000,
});
const path = '/v1/chat/completions';
const headers = { 'content-type': 'application/json', authorization: 'Bearer provider-key' };

const server = createServer((request, response) => {
  if (request.method !== 'POST') {
    response.end('{"status":"ok"}');
    return;
  }
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    forward(Buffer.concat(parts).toString(), response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(502);
      response.end(String(error));
    });
  });
});

async function forward(text: string, response: ServerResponse): Promise<void> {
  const body: { stream?: boolean } = JSON.parse(text);
  const call = { method: 'POST', path, headers, body: JSON.stringify(body) } as const;
  if (body.stream === true) {
    await upstream.stream(call, ({ statusCode }) => {
      response.writeHead(statusCode, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
      return response;
    });
    return;
  }
  if (keeper !== undefined) await keeper.before();
  const answer = await upstream.request(call);
  const bytes = Buffer.from(JSON.stringify(await answer.body.json()));
  if (keeper !== undefined) await keeper.after(recordOf(bytes));
  response.writeHead(answer.statusCode, {
    'content-type': 'application/json',
    'content-length': bytes.length,
  });
  response.end(bytes);
}

/** About as long as Headgate's record of a call. */
function recordOf(answer: Buffer): string {
  return `${answer.toString('latin1', 0, 700)}\n`;
}

server.listen({ port: Number(process.env.PORT ?? 9101), host: '127.0.0.1', reusePort: true });
process.on('SIGTERM', () => process.exit(0));
