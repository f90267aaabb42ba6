import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts a provider for models that no request should reach: it answers 500. */
export async function startUnused(): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((_request, response) => response.writeHead(500).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, close: () => server.close() };
}
