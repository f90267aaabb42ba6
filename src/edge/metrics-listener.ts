import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { originForm } from '../http/server.ts';
import { metricsContentType } from '../metrics/text-format.ts';
import { createServer } from '../util/node-http.ts';
import { pathOf } from './route.ts';

/** A listener that serves metrics and nothing else. */
export interface MetricsListener {
  readonly port: number;
  close(): Promise<void>;
}

/** Milliseconds a client may take to send its few headers. */
const headersTimeout = 5000;

/**
 * Serves `GET /metrics` to every client that can reach the address; the network decides which clients can
 * (docs/spec/operations.md#metrics).
 * @throws Error when nobody can listen there.
 */
export async function listenForMetrics(
  address: { readonly host: string; readonly port: number },
  render: () => Promise<string>,
): Promise<MetricsListener> {
  const server = createServer({ headersTimeout, requestTimeout: headersTimeout }, (request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || pathOf(originForm(request.url ?? '')) !== '/metrics') return refuse(response, 404);
    render().then(
      (text) => response.writeHead(200, { 'content-type': metricsContentType }).end(text),
      () => refuse(response, 500),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(refusedAddress(address, cause)));
    server.listen(address, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refusedAddress(
  { host, port }: { readonly host: string; readonly port: number },
  cause: Error,
): Error {
  return new Error(`Metrics cannot be served on ${host}:${port}: choose another server.metrics_port.`, {
    cause,
  });
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end();
}
