import type { IncomingMessage } from 'node:http';

/** Requests of whose bodies nothing is read at present. */
const held = new WeakSet<IncomingMessage>();
/** Requests of whose bodies nothing more will be read. */
const stopped = new WeakSet<IncomingMessage>();

/**
 * Reads nothing more of a body that comes in chunks until somebody wants it (`releaseBody`). The runtime limits what
 * waits by bytes; ten thousand chunks of one byte are few bytes, but take its time with each read.
 */
export function holdChunks(request: IncomingMessage): void {
  if (request.headers['transfer-encoding'] !== undefined) hold(request);
}

/** Reads on in a body that was held. */
export function releaseBody(request: IncomingMessage): void {
  if (held.delete(request)) request.socket.resume();
}

/** Reads no more of a body for good, because even dropping its pieces takes time from others: its connection must end. */
export function stopReading(request: IncomingMessage): void {
  stopped.add(request);
  hold(request);
  request.pause();
}

/** Whether nothing more will be read of a body. */
export function isStopped(request: IncomingMessage): boolean {
  return stopped.has(request);
}

function hold(request: IncomingMessage): void {
  const read = request._read;
  held.add(request);
  // The stream asks for more by itself, also while it is paused, and that would start the connection again.
  request._read = (size) => {
    if (!held.has(request)) read.call(request, size);
  };
  request.socket.pause();
}
