import type { Server } from 'node:http';
import { Server as SocketServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** When a server that left its port may be closed. Times are milliseconds. */
export interface LeavingTerms {
  /** Whether it is answering requests. */
  readonly isBusy: () => boolean;
  /** How long it may be, at most. */
  readonly timeout: number;
  /** For how long nothing may have been asked; by default two seconds. */
  readonly quiet?: number;
}

const pollDelay = 50;

/**
 * Takes no more connections, for somebody else listens on the port, and answers what comes on the open ones: each
 * answer from now on says that its connection ends with it. Resolves when no connection is left, when nobody has
 * asked anything for a while, or when the time is up. The server is to be closed then.
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
