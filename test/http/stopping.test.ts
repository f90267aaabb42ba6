import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import pino from 'pino';
import { startServer } from '../../src/server.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import type { KeySource } from '../../src/vault/key-source.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf, startGateway, type TestGateway } from '../support/gateway.ts';

/** Shorter than what the runtime allows for a request to come, longer than any stop takes. */
const timeout = 45_000;

/** Ten thousand words at this pace take hours. */
const slow = providerOf({ slug: 'slow', adapter: 'sandbox', quirks: { tokensPerSecond: 1 } });
const models = [modelOf('sandbox/lorem', [slow])];

test('a start without the keys it needs fails before anything is open that would keep the process alive', async (t) => {
  let connections = 0;
  const redis = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  t.after(() => redis.close());
  await once(redis.listen(0, '127.0.0.1'), 'listening');
  const url = `redis://127.0.0.1:${(redis.address() as AddressInfo).port}`;
  const config = configOf({ models, config: { sharedState: { url, onFailure: 'reject' } } });
  const storage = await openStorage('sqlite::memory:');
  t.after(() => storage.close());
  const keys: KeySource = {
    current: () => Promise.reject(new Error('no keys')),
    find: async () => undefined,
  };
  await assert.rejects(startServer(config, { storage, keys, log: pino({ level: 'silent' }) }), /no keys/);
  assert.equal(connections, 0);
});

test('half a request, of whomever, does not keep a stopping server open', { timeout }, async (t) => {
  const gateway = await startGateway({ models, server: { drainTimeout: 100 } });
  const head = headOf(gateway, 100);
  for (const half of ['POST /', head.slice(0, -2), `${head}{`]) await send(t, gateway, half);
  await gateway.stop();
});

test('a request that comes whole while the server closes is settled before the books close', {
  timeout,
}, async (t) => {
  const gateway = await startGateway({ models, server: { drainTimeout: 100 } });
  const body = JSON.stringify({
    model: 'sandbox/lorem',
    input: 'x',
    max_output_tokens: 10_000,
    stream: true,
  });
  const client = await send(t, gateway, headOf(gateway, body.length));
  const stopped = gateway.stop();
  const closed = once(client, 'close');
  client.write(body);
  let answer = '';
  client.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  await stopped;
  // What the server has sent is still to be read here.
  await closed;
  const [line, ...more] = gateway.log.map((text) => JSON.parse(text)).filter(({ key }) => key !== undefined);
  assert.deepEqual([line?.msg, line?.error, more.length], ['failed', 'server', 0]);
  assert.match(answer, /event: response\.failed[\s\S]*\[DONE\]/);
});

test('a server that hands over its port and is then told to stop takes nothing more on the connections it has', {
  timeout,
}, async (t) => {
  const gateway = await startGateway({ models, server: { drainTimeout: 2 * timeout } });
  const body = JSON.stringify({
    model: 'sandbox/lorem',
    input: 'x',
    max_output_tokens: 10_000,
    stream: true,
  });
  const running = await send(t, gateway, headOf(gateway, body.length) + body);
  // It runs: otherwise there would be nothing to wait for, and the other connection be closed at once.
  await once(running, 'data');
  const idle = await send(t, gateway, '');
  const told = Promise.withResolvers<void>();
  const left = gateway.server.handOver(told.promise);
  const closed = new Promise((resolve) => idle.once('close', resolve));
  idle.once('data', () => assert.fail('nothing is answered'));
  told.resolve();
  idle.write('GET /api/v1/models HTTP/1.1\r\nhost: a\r\n\r\n');
  await closed;
  running.destroy();
  await left;
});

test('from the beginning of a stop on every answer ends its connection, and those without one end at once', {
  timeout,
}, async (t) => {
  const gateway = await startGateway({ models, server: { drainTimeout: timeout } });
  const body = JSON.stringify({ model: 'sandbox/lorem', input: 'x', max_output_tokens: 2 });
  const running = await send(t, gateway, '');
  const idle = await send(t, gateway, 'GET /api/v1/providers HTTP/1.1\r\nhost: a\r\n\r\n');
  let answer = '';
  running.on('data', (piece) => {
    answer += piece;
  });
  running.write(headOf(gateway, body.length) + body);
  // It has come: what is sent afterwards is answered afterwards.
  await gateway.get('/health/live');
  const ended = Promise.all([once(idle, 'close'), once(running, 'close')]);
  const stopped = gateway.stop();
  await once(idle, 'close');
  assert.equal(answer, '', 'the other one still runs');
  await Promise.all([ended, stopped]);
  const [head = '', rest = ''] = answer.split('\r\n\r\n');
  assert.match(head, /^HTTP\/1\.1 200 [\s\S]*\r\nconnection: close\b/i);
  assert.match(rest, /"status":"(completed|incomplete)"/);
});

function headOf({ key }: TestGateway, length: number): string {
  const headers = [`authorization: Bearer ${key}`, 'host: a', `content-length: ${length}`];
  return ['POST /api/v1/responses HTTP/1.1', ...headers, '', ''].join('\r\n');
}

/** A connection on which the server has read this. */
async function send(t: TestContext, gateway: TestGateway, text: string) {
  const { hostname, port } = new URL(gateway.url);
  const client = connect(Number(port), hostname);
  client.on('error', () => undefined).resume();
  t.after(() => client.destroy());
  client.write(text);
  await once(client, 'connect');
  // What was sent before is read before.
  assert.equal((await gateway.get('/health/live')).status, 200);
  return client;
}
