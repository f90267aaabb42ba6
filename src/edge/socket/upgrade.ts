import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A connection whose client asks to speak WebSocket on it. */
export interface Upgrade {
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
export function serveUpgrades(server: Server, serve: RequestListener): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Until it is one, nobody else listens; it closes by itself.
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
