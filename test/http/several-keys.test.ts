import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { Secret } from '../../src/util/secret.ts';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { type GatewayOptions, startGateway } from '../support/gateway.ts';
import { readMetrics } from '../support/read-metrics.ts';

/** A provider that answers each key with a status; 200 unless it is set. */
async function startProvider(t: TestContext) {
  const statuses = new Map<string, number>();
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    await text(request);
    const key = (request.headers.authorization ?? '').replace('Bearer ', '');
    asked.push(key);
    const status = statuses.get(key) ?? 200;
    const whole = chatBody('Good ', 'day.');
    const body = status === 200 ? whole : { error: { message: `no: ${key}` } };
    response
      .writeHead(status, {
        'content-type': 'application/json',
        ...(status === 429 && { 'retry-after': '60' }),
      })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, statuses, asked };
}

const names = ['key-number-one', 'key-number-two', 'key-number-three'];

async function start(
  t: TestContext,
  url: string,
  others: GatewayOptions['models'][number]['endpoints'] = [],
) {
  const [apiKey, ...rest] = names.map((name) => new Secret(name));
  const north = providerOf({
    slug: 'north',
    baseUrl: url,
    apiKey,
    sharedKeys: [...(apiKey === undefined ? [] : [apiKey]), ...rest],
    headers: { 'x-team': 'gateway' },
  });
  const model = modelOf('acme/atlas-4', [north]);
  const gateway = await startGateway({ models: [{ ...model, endpoints: [...model.endpoints, ...others] }] });
  t.after(() => gateway.stop());
  const ask = async (body = {}) => {
    const response = await gateway.post({ model: 'acme/atlas-4', input: 'Hello', ...body });
    const answer = await response.text();
    return { status: response.status, answer };
  };
  return { gateway, ask };
}

test('the first key serves; one that is limited or refused rests, and the next one serves', async (t) => {
  const { url, statuses, asked } = await startProvider(t);
  const { gateway, ask } = await start(t, url);
  assert.equal((await ask()).status, 200);
  assert.equal((await ask()).status, 200);
  assert.deepEqual(asked.splice(0), ['key-number-one', 'key-number-one']);
  statuses.set('key-number-one', 429);
  assert.equal((await ask()).status, 200);
  assert.deepEqual(asked.splice(0), ['key-number-one', 'key-number-two']);
  assert.equal((await ask()).status, 200);
  assert.deepEqual(asked.splice(0), ['key-number-two'], 'the limited one rests');
  for (const status of [401, 402]) {
    const key = status === 401 ? 'key-number-two' : 'key-number-three';
    statuses.set(key, status);
    await ask();
    asked.splice(0);
  }
  const { status, answer } = await ask();
  assert.notEqual(status, 200);
  assert.equal(new Set(asked).size, 3, 'when all rest, all are tried');
  const said = answer + gateway.log.join('\n') + (await (await gateway.get('/metrics')).text());
  for (const name of names) assert.ok(!said.includes(name), name);
  const failures = gateway.log.flatMap((line) => JSON.parse(line).failures ?? []);
  assert.partialDeepStrictEqual(failures[0], { provider: 'north', key: 1, status: 429 });
  assert.ok(failures.some(({ key, code }) => key === 2 && code === '401'));
  const metrics = readMetrics(await (await gateway.get('/metrics')).text());
  assert.equal(
    metrics.get('headgate_provider_key_attempts_total{provider="north",key="1",outcome="success"}'),
    2,
  );
});

test('what fails for another reason than the key goes to another provider, not to the next key', async (t) => {
  const { url, statuses, asked } = await startProvider(t);
  const south = await startProvider(t);
  const other = modelOf('acme/atlas-4', [providerOf({ slug: 'south', baseUrl: south.url })]);
  const { ask } = await start(t, url, other.endpoints);
  for (const name of names) statuses.set(name, 500);
  assert.equal((await ask({ provider: { order: ['north', 'south'] } })).status, 200);
  assert.deepEqual(asked, ['key-number-one']);
  assert.equal(south.asked.length, 1);
});

test('without fallbacks the first key alone is tried', async (t) => {
  const { url, statuses, asked } = await startProvider(t);
  const { ask } = await start(t, url);
  statuses.set('key-number-one', 429);
  assert.equal((await ask({ provider: { allow_fallbacks: false } })).status, 429);
  assert.deepEqual(asked, ['key-number-one']);
});
