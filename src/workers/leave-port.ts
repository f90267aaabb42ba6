import type { Server } from 'node:http';
import { Server as SocketServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** When a server that left its port may be closed. Times are milliseconds. */
export interface LeavingTerms {
  /** Whether it is answering requests. */
  readonly isBusy: () => boolean;
  /** The time limit. */
  readonly timeout: number;
  /** For how long there must be no request; by default two seconds. */
  readonly quiet?: number;
}

const pollDelay = 50;

/**
 * Accepts no more connections, because another process listens on the port, and answers requests on the open ones;
 * each answer announces that its connection closes. Resolves when no connection is left, when there were no requests
 * for a while, or at the time limit. Then the server should be closed.
 */
export async function leavePort(
  server: Server,
  { isBusy, timeout, quiet = 2_000 }: LeavingTerms,
): Promise<void> {
  server.prependListener('request', (_request, response) => {
    response.setHeader('connection', 'close');
  });
  // An HTTP server's own `close` would cut idle connections, on one of which a request may be on its way.
  SocketServer.prototype.close.call(server);
  const deadline = performance.now() + timeout;
  let quietSince = performance.now();
  while (performance.now() < deadline && (await openConnections(server)) > 0) {
    if (isBusy()) quietSince = performance.now();
    else if (performance.now() - quietSince >= quiet) return;
    await sleep(pollDelay);
  }
}

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error === null ? count : 0));
  });
}
