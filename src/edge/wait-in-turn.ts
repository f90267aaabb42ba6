import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that wait on one connection before no more is read of it. */
const mostWaiting = 16;
/** Those that one read may bring all the same: more of them end the connection. */
const mostRead = 256;

/** The runtime's own account of what it has to send: it reads no more of a connection while that is too much. */
interface Accounted {
  readonly _onPendingData?: (bytes: number) => void;
}

/**
 * Begins the requests of one connection one after the other: the answer ahead may end the connection, and then the next
 * request must not be begun (RFC 9112, 9.3.2 and 9.6). Those that wait are bounded.
 */
export function waitInTurn(begin: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    if (response.socket !== null) {
      begin(request, response);
      return;
    }
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > mostRead) {
      socket.destroy();
      return;
    }
    waiting.set(socket, count);
    const share = Math.ceil(response.writableHighWaterMark / mostWaiting);
    account(response, share);
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      account(response, -share);
      begin(request, response);
    });
  };
}

function account(response: ServerResponse & Accounted, bytes: number): void {
  response._onPendingData?.(bytes);
}
