import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';

test('a process near its limits refuses new requests, says why, and goes on with those that run', async (t) => {
  const slow = providerOf({ slug: 'slow', adapter: 'sandbox', quirks: { tokensPerSecond: 20 } });
  const load = { heap: 0.1 };
  const gateway = await startGateway({
    models: [modelOf('acme/echo', [slow])],
    loadProbe: {
      heap: () => load.heap,
      collect: () => undefined,
      now: () => performance.now(),
      busy: () => 0,
    },
  });
  t.after(() => gateway.stop());
  const asked = {
    model: 'acme/echo',
    input: 'One two three four five six seven eight nine ten eleven twelve',
  };
  const running = await gateway.post({ ...asked, stream: true });
  assert.equal(running.status, 200);
  load.heap = 0.95;
  let ready = await gateway.get('/health/ready');
  while (ready.status === 200) {
    await sleep(10);
    ready = await gateway.get('/health/ready');
  }
  assert.equal(ready.status, 503);
  const { status, overload } = (await ready.json()) as { status: string; overload: string };
  assert.deepEqual([status, overload], ['unavailable', 'memory']);
  for (const refused of [await gateway.post(asked), await gateway.get('/api/v1/models')]) {
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get('retry-after'), '2');
  }
  for (const path of ['/health/live', '/metrics', '/docs', '/openapi.json']) {
    assert.equal((await gateway.get(path)).status, 200, path);
  }
  assert.match(await running.text(), /response\.completed/);
  load.heap = 0.1;
  while ((await gateway.get('/health/ready')).status !== 200) await sleep(10);
  assert.equal((await gateway.post(asked)).status, 200);
});

test('connections of one address above server.connections_per_address are closed, the others served', async (t) => {
  const gateway = await startGateway({ models: [], server: { connectionsPerAddress: 3 } });
  t.after(() => gateway.stop());
  const { port } = new URL(gateway.url);
  const open = async () => {
    const socket = connect(Number(port), '127.0.0.1');
    t.after(() => socket.destroy());
    socket.on('error', () => undefined).write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
    const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    return { socket, isServed: /^HTTP\/1\.1 200/.test(String(answer)) };
  };
  const all = [await open(), await open(), await open(), await open()];
  assert.deepEqual(
    all.map(({ isServed }) => isServed),
    [true, true, true, false],
  );
  all[0]?.socket.destroy();
  while (!(await open()).isServed) await sleep(5);
  assert.equal(gateway.log.filter((line) => line.includes('connections_per_address')).length, 1);
});
