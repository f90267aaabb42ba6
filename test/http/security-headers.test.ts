import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let management: string;

before(async () => {
  const sandbox = providerOf({ slug: 'north', adapter: 'sandbox' });
  gateway = await startGateway({ models: [modelOf('acme/echo', [sandbox])] });
  management = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(() => gateway.stop());

function assertSecure({ headers }: Response, what: string): void {
  assert.equal(headers.get('x-content-type-options'), 'nosniff', what);
  assert.equal(headers.get('referrer-policy'), 'no-referrer', what);
}

test('every answer forbids guessing its type and naming its page', async () => {
  const body = { model: 'acme/echo', input: 'Hi' };
  const answers = {
    page: await gateway.get('/docs'),
    document: await gateway.get('/openapi.json'),
    models: await gateway.get('/api/v1/models'),
    key: await gateway.get('/api/v1/key'),
    missing: await gateway.get('/nowhere'),
    refused: await gateway.get('/api/v1/keys'),
    answer: await gateway.post(body),
    stream: await gateway.post({ ...body, stream: true }),
    malformed: await gateway.post('{'),
    health: await gateway.get('/health/live'),
  };
  for (const [what, answer] of Object.entries(answers)) {
    assertSecure(answer, what);
    await answer.text();
  }
});

test('what is no HTTP request is answered with the same headers', async () => {
  for (const sent of ['GARBAGE\r\n\r\n', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n']) {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(sent);
    const text = Buffer.concat(await socket.toArray()).toString();
    assert.match(
      text,
      /^HTTP\/1\.1 400 [\s\S]*\r\nx-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\n/,
    );
  }
});

test('answers about keys and by management keys are stored nowhere, refusals included', async () => {
  const boss = { authorization: `Bearer ${management}` };
  const stored = async (path: string, headers: Record<string, string>) =>
    (await gateway.get(path, headers)).headers.get('cache-control');
  for (const path of ['/key', '/keys', '/credits', '/activity', '/byok', '/workspaces', '/keys/unknown']) {
    assert.equal(await stored(`/api/v1${path}`, boss), 'no-store', path);
    assert.equal(await stored(`/api/v1${path}`, { authorization: 'Bearer wrong' }), 'no-store', path);
  }
  assert.equal(await stored('/api/v1/models/user', {}), 'no-store');
  assert.equal(await stored('/api/v1/models', {}), 'no-store', 'a key may show more');
  assert.equal((await fetch(`${gateway.url}/api/v1/models`)).headers.get('cache-control'), null);
  assert.equal(await stored('/docs', {}), 'public, max-age=300');
});

test('a 401 names the scheme of keys, and no other answer does', async () => {
  for (const path of ['/key', '/keys', '/models/user']) {
    const refused = await gateway.get(`/api/v1${path}`, { authorization: 'Bearer wrong' });
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
  }
  const { status, headers } = await gateway.post(
    { model: 'acme/echo', input: 'Hi' },
    { authorization: 'Basic abc' },
  );
  assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Bearer']);
  assert.equal((await gateway.get('/api/v1/keys')).headers.get('www-authenticate'), null);
});
