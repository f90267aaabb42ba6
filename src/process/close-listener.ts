import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpListener } from '../edge/http-listener.ts';
import type { RequestLifecycle } from './request-lifecycle.ts';

/** How long what was answered may take to be sent once no answer is made any more, in milliseconds. */
const closeGrace = 5_000;

/**
 * Closes a listener and every connection.
 * @param patience Milliseconds, and a grace, for connections on which part of a request has come: the runtime would keep
 *   them for minutes.
 */
export async function closeListener(
  listener: HttpListener,
  lifecycle: RequestLifecycle,
  patience: number,
): Promise<void> {
  const closing = listener.close().then(() => true);
  const isClosedWithin = (time: number) => Promise.race([closing, sleep(time, false, { ref: false })]);
  if (await isClosedWithin(patience)) return;
  // Some may have come whole since.
  await lifecycle.drain(0);
  if (!(await isClosedWithin(closeGrace))) listener.server.closeAllConnections();
  await closing;
}
