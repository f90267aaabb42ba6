import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;

beforeEach(async () => {
  upstream = await startFakeUpstream();
  upstream.play({ steps: chatStream('Good ', 'day.') });
  const north = providerOf({ slug: 'north', name: 'NorthGPU', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north])] });
});

afterEach(async () => {
  await gateway.stop();
  await upstream.close();
});

const hello = { model: 'acme/atlas-4', input: 'Hello' };
const disable = () => gateway.storage.accounts.update(gateway.account.id, { disabled: true });

/** Asks until the answer is 401; fails after 5 s, the longest a server may take to notice. */
async function waitFor401(ask: () => Promise<Response>): Promise<void> {
  const began = performance.now();
  for (let asked = began; ; asked = performance.now()) {
    const response = await ask();
    await response.text();
    if (response.status === 401) return;
    assert.ok(asked - began < 5_000, `the key still works after 5 s: ${response.status}`);
    await sleep(100);
  }
}

test('a live key of an account that is disabled gets 401 on every route that needs a key', async () => {
  const management = await gateway.createKey({ kind: 'management', workspaceId: null });
  const authorization = `Bearer ${management}`;
  assert.equal((await gateway.post(hello)).status, 200);
  await disable();
  await waitFor401(() => gateway.post(hello));
  await waitFor401(() => gateway.get('/api/v1/key'));
  await waitFor401(() => gateway.get('/api/v1/keys', { authorization }));
  const reached = upstream.requests.length;
  assert.equal((await gateway.post(hello)).status, 401);
  assert.equal(upstream.requests.length, reached);
});

test('a key nobody used before its account was disabled gets 401 at once', async () => {
  const fresh = await gateway.createKey();
  await disable();
  const response = await gateway.post(hello, { authorization: `Bearer ${fresh}` });
  assert.equal(response.status, 401);
  assert.equal(upstream.requests.length, 0);
});

test('an account disabled while a body is on its way is of no use', async () => {
  const body = JSON.stringify(hello);
  const request = httpRequest(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.key}`,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
      expect: '100-continue',
    },
  });
  const status = new Promise((resolve, reject) => {
    request.once('error', reject).once('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
  });
  await new Promise<void>((resolve) => {
    request.once('continue', resolve).flushHeaders();
  });
  request.write(body.slice(0, 5));
  await disable();
  // Until another request of the key shows that the server has noticed.
  await waitFor401(() => gateway.get('/api/v1/key'));
  request.end(body.slice(5));
  assert.equal(await status, 401);
  assert.equal(upstream.requests.length, 0);
});
