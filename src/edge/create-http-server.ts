import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { TlsIdentity } from '../util/tls-identity.ts';
import { holdChunks } from './held-body.ts';
import { invalidRequest } from './invalid-request.ts';
import { originForm } from './origin-form.ts';
import { asksForSocket, serveUpgrades } from './socket/upgrade.ts';
import { waitInTurn } from './wait-in-turn.ts';

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
  const inTurn = waitInTurn((request, response) => {
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

/** Answers that say whether theirs is the last one of the connection when they begin, however long ago the request came. */
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
  };
}

function createTls(identity: TlsIdentity, options: ServerOptions, serve: RequestListener): Server {
  const handshakeTimeout = options.headersTimeout;
  const server = createTlsServer({ ...options, ...identity, handshakeTimeout }, serve);
  // Before the runtime hands it on as a request that cannot be read: without a handshake, no answer can be sent.
  server.prependListener('tlsClientError', (_failure, socket) => socket.destroy());
  return server;
}
