import type {
  IncomingMessage,
  OutgoingHttpHeader,
  OutgoingHttpHeaders,
  RequestListener,
  Server,
  ServerOptions,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer, ServerResponse } from '../util/node-http.ts';
import type { TlsIdentity } from '../util/tls-identity.ts';
import { holdChunks } from './body.ts';

/** Milliseconds an idle connection is kept: longer than load balancers usually keep theirs. */
const keepAliveTimeout = 72_000;
/** Milliseconds a whole request may take to arrive. */
const requestTimeout = 300_000;

/** Answers a request that HTTP wants refused. @param fault The end of a sentence. */
export type RefuseRequest = (request: IncomingMessage, response: ServerResponse, fault: string) => void;

/**
 * The server that brings each valid request to `answer`, one after the other of each connection. It listens to nothing yet.
 * @param headersTimeout Milliseconds the headers of a request, and a TLS handshake, may take to arrive.
 * @param traits Whether connections end with their answers from now on, asked at each; with an identity they are of TLS.
 */
export function createHttpServer(
  headersTimeout: number,
  answer: RequestListener,
  refuse: RefuseRequest,
  { identity, isClosing = () => false }: ServerTraits = {},
): Server {
  const inTurn = serializePipelinedRequests((request, response) => {
    const fault = invalidRequest(request);
    if (fault !== undefined) {
      refuse(request, response, fault);
      return;
    }
    request.url = originForm(request.url ?? '');
    answer(request, response);
  });
  const serve: RequestListener = (request, response) => {
    holdChunks(request);
    inTurn(request, response);
  };
  const limits = {
    keepAliveTimeout,
    headersTimeout,
    requestTimeout: Math.max(requestTimeout, headersTimeout),
    connectionsCheckingInterval: Math.min(1000, Math.ceil(headersTimeout / 4)),
  };
  // The runtime would refuse a missing Host and expectations it does not know by itself, without the body of an error.
  const options = {
    ...limits,
    requireHostHeader: false,
    shouldUpgradeCallback: asksForSocket,
    ServerResponse: responseThatEnds(isClosing),
  };
  const server = identity === undefined ? createServer(options, serve) : createTls(identity, options, serve);
  // Bodies are asked for once their requests may have one.
  server.on('checkContinue', serve);
  server.on('checkExpectation', serve);
  serveUpgrades(server, serve);
  return server;
}

interface ServerTraits {
  readonly identity?: TlsIdentity | undefined;
  readonly isClosing?: () => boolean;
}

type HeadHeaders = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * Answers that say whether theirs is the last one of the connection when they begin, however long ago the request came. A
 * stream that began before the server started to close also ends its connection.
 */
function responseThatEnds(isClosing: () => boolean): typeof ServerResponse {
  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override writeHead(status: number, reason?: string, headers?: HeadHeaders): this;
    override writeHead(status: number, headers?: HeadHeaders): this;
    override writeHead(status: number, second?: string | HeadHeaders, third?: HeadHeaders): this {
      if (isClosing()) this.shouldKeepAlive = false;
      return typeof second === 'string'
        ? super.writeHead(status, second, third)
        : super.writeHead(status, second);
    }

    override detachSocket(socket: Socket): void {
      super.detachSocket(socket);
      if (isClosing()) socket.destroySoon();
    }
  };
}

function createTls(identity: TlsIdentity, options: ServerOptions, serve: RequestListener): Server {
  const handshakeTimeout = options.headersTimeout;
  const server = createTlsServer({ ...options, ...identity, handshakeTimeout }, serve);
  // Before the runtime hands it on as a request that cannot be read: without a handshake, no answer can be sent.
  server.prependListener('tlsClientError', (_failure, socket) => socket.destroy());
  return server;
}

/** A name or an address, and a port. */
const host = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\w:.%~-]+\])(?::\d*)?$/;

/**
 * What HTTP/1.1 wants refused in a request that the runtime lets through (RFC 9112, 3.2 and 6.1), as the end of a sentence;
 * undefined in all others.
 */
function invalidRequest({ headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  const { 'transfer-encoding': encoding } = headers;
  if (headers.host === undefined && httpVersion === '1.1') return 'it names no Host';
  if (headers.host !== undefined && !host.test(headers.host)) return 'its Host is no host';
  if (isNamedTwice(rawHeaders, 'host')) return 'it names two Hosts';
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
    return 'its Transfer-Encoding is not chunked';
  }
  return undefined;
}

/** @param headers Names and values by turns, as they came. */
function isNamedTwice(headers: readonly string[], name: string): boolean {
  let count = 0;
  for (let index = 0; index < headers.length; index += 2) {
    const given = headers[index];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

/** Requests that wait on one connection before no more is read of it. One read may bring more. */
const mostWaiting = 16;
/** Requests that wait on all connections, about 3 kB each, before a connection that brings more than its own is ended. */
const mostOfAll = 20_000;

/** The runtime's own account of what it has to send: it reads no more of a connection while that is too much. */
interface Accounted {
  readonly _onPendingData?: (bytes: number) => void;
}

/**
 * Begins the requests of one connection one after the other: the answer ahead may end the connection, and then the next
 * request must not be begun (RFC 9112, 9.3.2 and 9.6). Those that wait are bounded.
 * @param limit Requests that wait on all connections.
 */
export function serializePipelinedRequests(begin: RequestListener, limit = mostOfAll): RequestListener {
  const waiting = new Map<Socket, number>();
  let all = 0;
  const count = (socket: Socket, change: number) => {
    const before = waiting.get(socket);
    // It has closed.
    if (before === undefined) return;
    waiting.set(socket, before + change);
    all += change;
  };
  return (request, response) => {
    const { socket } = request;
    if (response.socket !== null) {
      begin(request, response);
      return;
    }
    if (!waiting.has(socket)) {
      waiting.set(socket, 0);
      socket.once('close', () => {
        all -= waiting.get(socket) ?? 0;
        waiting.delete(socket);
      });
    }
    if (all >= limit && (waiting.get(socket) ?? 0) >= mostWaiting) {
      socket.destroy();
      return;
    }
    count(socket, 1);
    const share = Math.ceil(response.writableHighWaterMark / mostWaiting);
    account(response, share);
    response.once('socket', () => {
      count(socket, -1);
      account(response, -share);
      begin(request, response);
    });
  };
}

function account(response: ServerResponse & Accounted, bytes: number): void {
  response._onPendingData?.(bytes);
}

const slash = 0x2f;

/**
 * A request's target as most clients send it, its path and query. Clients of proxies name scheme and host before them,
 * and every server has to take that (RFC 9112 section 3.2.2). Any other form is left as it is.
 */
export function originForm(target: string): string {
  if (target.charCodeAt(0) === slash) return target;
  const authority = /^https?:\/\/[^/?#]+/i.exec(target)?.[0];
  if (authority === undefined) return target;
  const rest = target.slice(authority.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** A connection whose client asks to speak WebSocket on it. */
interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  /** What came behind the request. */
  readonly head: Buffer;
}

/** Those that are not answered yet. */
const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** Whether a request asks for a WebSocket. Other upgrades are ignored, as HTTP has it. */
export function asksForSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Answers requests for WebSockets like all others, so that they pass the same checks and get the same errors. */
function serveUpgrades(server: Server, serve: RequestListener): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Until it is one, it has no other listener; it closes by itself.
    socket.on('error', () => undefined);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    if (!(socket instanceof Socket) || !assigned(response, socket)) {
      socket.destroy();
      return;
    }
    // Nothing reads a further request of this connection.
    response.once('finish', () => socket.destroySoon());
    upgrades.set(request, { request, socket, head });
    serve(request, response);
  });
}

/**
 * Takes the connection away from the answer to the request, which is then not sent; undefined where the request asks for no
 * WebSocket.
 */
export function takeUpgrade(response: ServerResponse): Upgrade | undefined {
  const upgrade = upgrades.get(response.req);
  if (upgrade !== undefined) {
    upgrades.delete(response.req);
    response.detachSocket(upgrade.socket);
  }
  return upgrade;
}

/** False where an earlier request of the connection is still answered. */
function assigned(response: ServerResponse, socket: Socket): boolean {
  try {
    response.assignSocket(socket);
    return true;
  } catch {
    return false;
  }
}
