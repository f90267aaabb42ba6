import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGateway } from '../support/gateway.ts';

test('a client that takes nothing of the answers of any route loses its connection', async (t) => {
  const gateway = await startGateway({ models: [], server: { sendTimeout: 200 } });
  t.after(() => gateway.stop());
  const connections = new Set<Socket>();
  const onRequest = (message: unknown) => connections.add((message as { socket: Socket }).socket);
  subscribe('http.server.request.start', onRequest);
  t.after(() => unsubscribe('http.server.request.start', onRequest));
  const { hostname, port } = new URL(gateway.url);
  const client = connect(Number(port), hostname).pause();
  client.on('error', () => undefined);
  t.after(() => client.destroy());
  const request = 'GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n';
  const { length } = await (await fetch(`${gateway.url}/openapi.json`)).text();
  connections.clear();
  // More than the buffers of any system hold.
  client.write(request.repeat(Math.ceil(64e6 / length)));
  while (![...connections].some(({ destroyed }) => destroyed)) await sleep(10);
  assert.equal(connections.size, 1);
});
