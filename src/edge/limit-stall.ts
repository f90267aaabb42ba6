import type { ServerResponse } from 'node:http';

/**
 * Ends the connection of a client that takes nothing for a while of what was sent to it: nothing else ever would, and
 * until then its answer stays in memory, its provider waits and its money is held.
 * @param limit Milliseconds; each byte it takes begins them anew.
 */
export function limitStall(response: ServerResponse, limit: number): void {
  // The server destroys a socket whose time is up, and sets another limit once an answer is sent.
  if (response.writableLength > 0) response.socket?.setTimeout(limit);
}

/** The client has taken everything. */
export function endStall(response: ServerResponse): void {
  response.socket?.setTimeout(0);
}
