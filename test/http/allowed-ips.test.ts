import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { createLink } from '../../src/management/sessions/sessions.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { TestBrowser } from '../support/dashboard.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;
let managementKey: string;

before(async () => {
  upstream = await startFakeUpstream();
  upstream.play({ steps: chatStream('Hi') });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north])] });
  managementKey = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

const refusedText = 'The API key may not be used from this address.';

async function manage(method: string, path: string, body?: unknown) {
  const response = await fetch(`${gateway.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
  return { status: response.status, body: (await response.json()) as any };
}

/** The status of a call of `GET /key`. */
async function statusOf(key: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await gateway.get('/api/v1/key', { ...headers, authorization: `Bearer ${key}` });
  await response.arrayBuffer();
  return response.status;
}

test('a list is set, shown in its canonical form, changed and cleared', async () => {
  const made = await manage('POST', '/keys', {
    name: 'ci',
    allowed_ips: ['127.0.0.0/8', '::ffff:10.0.0.1', '2001:DB8::/32'],
  });
  assert.equal(made.status, 201);
  const { key, data } = made.body;
  assert.deepEqual(data.allowed_ips, ['127.0.0.0/8', '10.0.0.1', '2001:db8::/32']);
  assert.equal(await statusOf(key), 200);
  const path = `/keys/${data.hash}`;
  const moved = await manage('PATCH', path, { allowed_ips: ['192.0.2.0/24'] });
  assert.deepEqual(moved.body.data.allowed_ips, ['192.0.2.0/24']);
  assert.equal(await statusOf(key), 403);
  assert.deepEqual((await manage('PATCH', path, { name: 'cd' })).body.data.allowed_ips, ['192.0.2.0/24']);
  assert.equal((await manage('PATCH', path, { allowed_ips: null })).body.data.allowed_ips, null);
  assert.equal(await statusOf(key), 200);
  assert.equal((await manage('GET', path)).body.data.allowed_ips, null);
  assert.equal((await manage('POST', '/keys', { name: 'any' })).body.data.allowed_ips, null);
});

test('a list that is empty, too long or holds something else is refused', async () => {
  const cases: [unknown, RegExp][] = [
    [[], /^allowed_ips: must not be empty; null is any address$/],
    [Array.from({ length: 65 }, () => '10.0.0.1'), /^allowed_ips: /],
    ['10.0.0.1', /^allowed_ips: /],
    [
      ['10.0.0.1', 'example.com'],
      /^allowed_ips\[1\]: must be an IP address or a network such as 10\.0\.0\.0\/8$/,
    ],
    [[7], /^allowed_ips\[0\]: /],
  ];
  for (const [allowed_ips, message] of cases) {
    for (const [method, path] of [
      ['POST', '/keys'],
      ['PATCH', `/keys/${gateway.keyHash}`],
    ] as const) {
      const answer = await manage(method, path, { name: 'x', allowed_ips });
      assert.equal(answer.status, 400, JSON.stringify(allowed_ips));
      assert.match(answer.body.error.message, message);
    }
  }
  const most = Array.from({ length: 64 }, (_, index) => `10.0.0.${index}`);
  assert.equal((await manage('POST', '/keys', { name: 'x', allowed_ips: most })).status, 201);
});

test('a key of another address is refused everywhere, also a management key, without naming the list', async () => {
  const allowedIps = ['192.0.2.1'];
  const inference = await gateway.createKey({ allowedIps });
  const management = await gateway.createKey({ allowedIps, kind: 'management', workspaceId: null });
  const body = { model: 'acme/atlas-4', input: 'Hi' };
  const headers = { authorization: `Bearer ${inference}` };
  const answers = [
    await gateway.post(body, headers),
    await gateway.get('/api/v1/models', headers),
    await gateway.get('/api/v1/keys', { authorization: `Bearer ${management}` }),
    // Before the kind of the key is looked at.
    await gateway.post(body, { authorization: `Bearer ${management}` }),
  ];
  for (const answer of answers) {
    assert.equal(answer.status, 403, answer.url);
    const { error } = (await answer.json()) as {
      error: { message: string; metadata: { error_type: string } };
    };
    assert.deepEqual([error.message, error.metadata.error_type], [refusedText, 'permission_denied']);
  }
});

test('behind a trusted proxy the nearest hop that is not private counts, whatever stands before it', async () => {
  const key = await gateway.createKey({ allowedIps: ['203.0.113.0/24'] });
  const through = (forwarded: string) => statusOf(key, { 'x-forwarded-for': forwarded });
  gateway.setServer({ trustProxy: true });
  try {
    assert.equal(await through('203.0.113.9'), 200);
    assert.equal(await through('198.51.100.1, 203.0.113.9, 10.0.0.3'), 200, 'two hops');
    assert.equal(await through('203.0.113.9, 198.51.100.1'), 403, 'forged');
    assert.equal(await through('203.0.113.9, nonsense'), 403, 'nothing is known from there on');
    assert.equal(await statusOf(key), 403);
    const management = await gateway.createKey({
      allowedIps: ['203.0.113.0/24'],
      kind: 'management',
      workspaceId: null,
    });
    const authorization = `Bearer ${management}`;
    const metrics = async (forwarded: string) =>
      (await gateway.get('/metrics', { authorization, 'x-forwarded-for': forwarded })).status;
    assert.deepEqual([await metrics('203.0.113.9'), await metrics('198.51.100.1')], [200, 403]);
  } finally {
    gateway.setServer({ trustProxy: false });
  }
});

test('lists without a trusted proxy are warned of once, when requests come through one', async () => {
  const warnings = () => gateway.log.filter((line) => line.includes('server.trust_proxy is off')).length;
  const key = await gateway.createKey({ allowedIps: ['127.0.0.1'] });
  assert.equal(await statusOf(key), 200);
  assert.equal(await statusOf(gateway.key, { 'x-forwarded-for': '203.0.113.9' }), 200);
  assert.equal(warnings(), 0, 'no list or no proxy');
  for (let count = 0; count < 2; count += 1) {
    assert.equal(await statusOf(key, { 'x-forwarded-for': '203.0.113.9' }), 200, 'the peer counts');
  }
  assert.equal(warnings(), 1);
});

/** Logs in to the dashboard, as a browser behind a proxy on this machine does. */
async function logIn(body: object, forwarded?: string): Promise<number> {
  const response = await fetch(`${gateway.url}/ui/session`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
    },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

test('a client in a private network cannot forge its address past a proxy that is listed', async () => {
  const key = await gateway.createKey({ allowedIps: ['203.0.113.0/24'] });
  const through = (forwarded: string) => statusOf(key, { 'x-forwarded-for': forwarded });
  // What a proxy sends of a client at 10.1.2.3 that wrote the rest itself.
  const forged = [
    '203.0.113.9, 10.1.2.3',
    '10.0.0.1, 203.0.113.9, 192.168.7.7',
    '203.0.113.9, ::ffff:a01:203',
  ];
  try {
    for (const trustProxy of [['127.0.0.1', '::1', '10.1.0.1'], ['127.0.0.0/8', '10.1.0.1'], 1]) {
      gateway.setServer({ trustProxy });
      assert.equal(await through('203.0.113.9'), 200, `${trustProxy}`);
      assert.equal(await through('1.1.1.1, 203.0.113.9:4711'), 200, `${trustProxy}`);
      for (const text of [...forged, 'unknown', '', ',,,', '203.0.113.9, x'.padEnd(12_000, 'x')]) {
        assert.equal(await through(text), 403, `${trustProxy}: ${text.slice(0, 40)}`);
      }
      assert.equal(await statusOf(key), 403, `${trustProxy}`);
    }
    gateway.setServer({ trustProxy: ['127.0.0.1', '10.1.0.1'] });
    assert.equal(await through('203.0.113.9, 10.1.0.1'), 200, 'a listed proxy behind the first');
    gateway.setServer({ trustProxy: 2 });
    assert.equal(await through('203.0.113.9, 10.1.0.1'), 200, 'two proxies');
    assert.equal(await through('203.0.113.9'), 403, 'past one of the two');
    gateway.setServer({ trustProxy: ['10.1.0.1'] });
    assert.equal(await through('203.0.113.9'), 403, 'a peer that is not listed');
  } finally {
    gateway.setServer({ trustProxy: false });
  }
});

test('the address is the last that proxies wrote, also in several headers', async () => {
  const key = await gateway.createKey({ allowedIps: ['203.0.113.0/24'] });
  const { port } = new URL(gateway.url);
  const ask = (lines: readonly string[]) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = ['host', 'localhost', 'authorization', `Bearer ${key}`];
      for (const line of lines) headers.push('X-Forwarded-For', line);
      const asked = request({ port, host: '127.0.0.1', path: '/api/v1/key', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on('error', reject).end();
    });
  try {
    for (const trustProxy of [['127.0.0.1'], 1]) {
      gateway.setServer({ trustProxy });
      assert.equal(await ask(['198.51.100.1', '203.0.113.9']), 200);
      assert.equal(await ask(['203.0.113.9', '198.51.100.1']), 403);
    }
  } finally {
    gateway.setServer({ trustProxy: false });
  }
});

test('the dashboard takes a key only from its addresses: by itself, by a link, and as a further key', async () => {
  const allowedIps = ['203.0.113.0/24'];
  const management = { kind: 'management', workspaceId: null } as const;
  const key = await gateway.createKey({ allowedIps, ...management });
  const link = () => createLink(hashKey(key), 60_000, { storage: gateway.storage, clock: systemClock });
  const page = new TestBrowser(gateway.url);
  const sessions = async () => (await gateway.storage.sessions.ofKey(hashKey(key))).length;
  gateway.setServer({ trustProxy: ['127.0.0.1'] });
  try {
    const refused = await page.login(key);
    assert.deepEqual([refused.status, refused.body.error.message], [403, refusedText]);
    assert.equal(await logIn({ key }, '203.0.113.9, 10.1.2.3'), 403);
    assert.equal(await logIn({ code: await link() }, '198.51.100.1'), 403);
    assert.equal((await page.login(managementKey)).status, 200);
    assert.equal((await page.call('POST', '/ui/session/principals', { key })).status, 403);
    assert.equal(await sessions(), 0);
    assert.equal(await logIn({ key }, '203.0.113.9'), 200);
    assert.equal(await logIn({ code: await link() }, '203.0.113.9'), 200);
    assert.equal(await sessions(), 2);
  } finally {
    gateway.setServer({ trustProxy: false });
  }
  const { body } = await manage('GET', '/audit?object_type=session&limit=50');
  const noted = body.data.filter(({ reason }: { reason: string }) => reason === 'permission_denied');
  assert.deepEqual(
    [noted.length, noted[0].actor.type, noted[0].actor.key_hash],
    [4, 'management_key', hashKey(key)],
  );
});

test('a proxy that the list leaves out is named once in the log', async () => {
  const other = await startGateway({ models: [], server: { trustProxy: ['10.1.0.1'] } });
  const key = await other.createKey({ allowedIps: ['127.0.0.1'] });
  try {
    for (let count = 0; count < 2; count += 1) {
      const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': '203.0.113.9' };
      assert.equal((await other.get('/api/v1/key', headers)).status, 200, 'the peer counts');
    }
    const lines = other.log.filter((line) => line.includes('server.trust_proxy does not include it'));
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).proxy),
      ['127.0.0.1'],
    );
  } finally {
    await other.stop();
  }
});

test('what a log and the audit log say of the client follows the same rule', async () => {
  const bad = async (forwarded: string) => {
    assert.equal(await statusOf('wrong', { 'x-forwarded-for': forwarded }), 401);
    return JSON.parse(gateway.log.at(-1) ?? '').client;
  };
  try {
    gateway.setServer({ trustProxy: ['127.0.0.1'] });
    assert.equal(await bad('203.0.113.9, 10.1.2.3'), '10.1.2.3');
    gateway.setServer({ trustProxy: ['10.1.2.3'] });
    assert.equal(await bad('203.0.113.9, 10.1.2.3'), '127.0.0.1');
    gateway.setServer({ trustProxy: 2 });
    assert.equal(await bad('203.0.113.9, 10.1.2.3'), '203.0.113.9');
  } finally {
    gateway.setServer({ trustProxy: false });
  }
});
