import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
export function waitInTurn(begin: RequestListener, limit = mostOfAll): RequestListener {
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
