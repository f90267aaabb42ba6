import assert from 'node:assert/strict';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const origin = 'https://app.example';
/** What every page may read unasked, is of the connection, or is for the browser itself. */
const always = [
  'cache-control',
  'content-length',
  'content-type',
  'connection',
  'keep-alive',
  'date',
  'vary',
  'x-content-type-options',
  'referrer-policy',
];
let gateway: TestGateway;

before(async () => {
  const sandbox = providerOf({ slug: 'north', adapter: 'sandbox' });
  gateway = await startGateway({
    models: [modelOf('acme/echo', [sandbox])],
    server: { corsOrigins: [origin] },
  });
});

after(() => gateway.stop());

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** fetch does not let a program set Origin. */
function send(method: string, url: string, more: Record<string, string>, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers: { origin, ...more } });
    request.on('error', reject).on('response', async (response) => {
      await text(response);
      resolve({ status: response.statusCode, headers: response.headers });
    });
    request.end(body && JSON.stringify(body));
  });
}

async function post(body: object, more: Record<string, string>): Promise<IncomingHttpHeaders> {
  const headers = { authorization: `Bearer ${gateway.key}`, ...more };
  return (await send('POST', `${gateway.url}/api/v1/responses`, headers, body)).headers;
}

test('a page may read every header that tells it what to do next', async () => {
  const call = { model: 'acme/echo', input: 'Hello' };
  const filtered = await post({ ...call, provider: { only: ['nobody'] } }, {});
  assert.equal(filtered['x-should-retry'], 'false');
  await post(call, { 'idempotency-key': 'once' });
  const replayed = await post(call, { 'idempotency-key': 'once' });
  assert.equal(replayed['idempotent-replayed'], 'true');
  for (const headers of [filtered, replayed]) {
    const exposed = String(headers['access-control-expose-headers']).split(', ');
    const hidden = Object.keys(headers).filter(
      (name) => !always.includes(name) && !name.startsWith('access-control-') && !exposed.includes(name),
    );
    assert.deepEqual(hidden, []);
  }
});

test('a page may read that the server stops, and when to come back', async () => {
  const slow = providerOf({ slug: 'slow', adapter: 'sandbox', quirks: { tokensPerSecond: 1 } });
  const stopping = await startGateway({
    models: [modelOf('sandbox/lorem', [slow])],
    server: { corsOrigins: [origin], drainTimeout: 30_000 },
  });
  const running = await stopping.post({ model: 'sandbox/lorem', input: 'x', stream: true });
  const stopped = stopping.stop();
  const preflight = { 'access-control-request-method': 'POST', connection: 'close' };
  assert.equal((await send('OPTIONS', `${stopping.url}/api/v1/responses`, preflight)).status, 204);
  for (const [method, path] of [
    ['POST', 'responses'],
    ['GET', 'key'],
  ] as const) {
    const { status, headers } = await send(method, `${stopping.url}/api/v1/${path}`, { connection: 'close' });
    assert.deepEqual(
      [status, headers['retry-after'], headers['access-control-allow-origin']],
      [503, '5', origin],
      path,
    );
  }
  await running.body?.cancel();
  await stopped;
});
