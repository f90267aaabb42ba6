import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One piece of an answer: bytes, or milliseconds of silence. */
export type Step = Buffer | string | number;

/** How the fake provider answers one request. */
export interface Script {
  /** HTTP status; default 200. */
  readonly status?: number;
  /** Default: an event stream. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one after the other, each in a write of its own. */
  readonly steps?: readonly Step[];
  /** The answer to requests that ask for no stream: one JSON body in place of headers and steps. */
  readonly whole?: string;
  /** After the steps: end the answer (default), cut the connection, or say nothing more. */
  readonly ending?: 'end' | 'cut' | 'hang';
  /** Milliseconds before the status line; `hang` without steps never sends one. */
  readonly delay?: number;
}

/** A request as the fake provider got it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed JSON, or the raw text when it is none. */
  readonly body: unknown;
  /** Tells connections apart: two requests with the same number shared one. */
  readonly connection: number;
}

/** A provider that does what its scripts say, on a real port. */
export interface FakeUpstream {
  /** `http://127.0.0.1:<port>`, without a path. */
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** Bytes of bodies that have left so far. */
  readonly bytesWritten: number;
  /** Adds a script; each request takes the oldest one left, and the last one stays. */
  play(...scripts: Script[]): void;
  /** Connections the client has closed or lost so far. */
  readonly closed: number;
  /** Resolves when there are `count` of those. */
  closedConnections(count: number): Promise<void>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a fake provider. Without scripts it answers 500. */
export async function startFakeUpstream(...scripts: Script[]): Promise<FakeUpstream> {
  const pending = [...scripts];
  const requests: ReceivedRequest[] = [];
  const connections = new WeakMap<Socket, number>();
  let connected = 0;
  const server = createServer(async (request, response) => {
    const received = await receive(request, connections.get(request.socket) ?? -1);
    requests.push(received);
    const script = pending.length > 1 ? pending.shift() : pending[0];
    await answer(response, suited(script ?? { status: 500, headers: {} }, received.body), (bytes) => {
      bytesWritten += bytes;
    });
  });
  let closed = 0;
  let bytesWritten = 0;
  server.on('connection', (socket) => {
    connected += 1;
    connections.set(socket, connected);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      closed += 1;
      server.emit('fake:closed');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get bytesWritten() {
      return bytesWritten;
    },
    get closed() {
      return closed;
    },
    play: (...more) => {
      pending.length = 0;
      pending.push(...more);
    },
    closedConnections: async (count) => {
      while (closed < count) await once(server, 'fake:closed');
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function receive(request: IncomingMessage, connection: number): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = '', url: path = '', headers } = request;
  return { method, path, headers, body: parse(Buffer.concat(chunks).toString()), connection };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function suited(script: Script, body: unknown): Script {
  const streamed = typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;
  if (script.whole === undefined || streamed) return script;
  return { ...script, headers: { 'content-type': 'application/json' }, steps: [script.whole] };
}

/** Waits, without keeping a process alive whose tests are over: connections do that as long as somebody waits. */
function pause(milliseconds: number): Promise<void> {
  return sleep(milliseconds, undefined, { ref: false });
}

async function answer(
  response: ServerResponse,
  script: Script,
  onWritten: (bytes: number) => void,
): Promise<void> {
  const {
    status = 200,
    headers = { 'content-type': 'text/event-stream' },
    steps = [],
    ending = 'end',
  } = script;
  if (script.delay !== undefined) await pause(script.delay);
  if (ending === 'hang' && steps.length === 0) return;
  response.writeHead(status, headers);
  response.flushHeaders();
  for (const step of steps) {
    if (response.destroyed) return;
    if (typeof step === 'number') await pause(step);
    else onWritten(await write(response, step));
  }
  if (ending === 'cut') response.socket?.resetAndDestroy();
  if (ending === 'end') response.end();
}

/** Waits until the bytes have left, so that two steps never share a packet because of this side. */
async function write(response: ServerResponse, step: Buffer | string): Promise<number> {
  const bytes = Buffer.from(step);
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.write(bytes, () => {
      response.off('close', resolve);
      resolve();
    });
  });
  return bytes.length;
}
