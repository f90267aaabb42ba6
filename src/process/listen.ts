import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerConfig } from '../config/config.ts';
import type { HttpListener } from '../edge/http-listener.ts';
import { listenForMetrics, type MetricsListener } from '../edge/metrics-listener.ts';
import type { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import type { RequestLifecycle } from './request-lifecycle.ts';

/** Connections that may wait to be accepted, where the system allows so many; Node accepts one a turn of its loop. */
const backlog = 4096;

/** What is closed with a server. */
export type ClosedParts = readonly ({ close(): Promise<void> | void } | undefined)[];

/** The listeners of a server for requests. */
export interface Listeners {
  readonly app: HttpListener;
  /** The one of the dashboard, where it has a port of its own. */
  readonly pages: HttpListener | undefined;
}

/** Closes parts one after the other. */
export async function closeEach(parts: ClosedParts): Promise<void> {
  for (const part of parts) await part?.close();
}

/** Listens for requests, and for metrics and the dashboard where they have ports of their own; for all, or closes all that is held. */
export async function listen(
  { app, pages }: Listeners,
  { host, port, metricsPort, dashboard }: ServerConfig,
  metrics: GatewayMetrics,
  held: ClosedParts,
): Promise<MetricsListener | undefined> {
  let listener: MetricsListener | undefined;
  try {
    if (metricsPort !== undefined) {
      listener = await listenForMetrics({ host, port: metricsPort }, () => metrics.render());
    }
    const ofPages = dashboard.port;
    if (pages !== undefined && ofPages !== undefined) {
      await pages.listen({ host, port: ofPages, backlog }).catch((cause: unknown) => {
        const said = `The dashboard cannot be served on ${host}:${ofPages}: choose another server.dashboard.port.`;
        throw new Error(said, { cause });
      });
    }
    await app.listen({ host, port, backlog });
    return listener;
  } catch (error) {
    await closeEach([listener, ...(pages?.server.listening === true ? [pages] : []), ...held]);
    throw error;
  }
}

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
