import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { TestBrowser } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;
let managementKey: string;
const databaseUrl = `sqlite:${join(temporaryFolder(), 'headgate.db')}`;

function start(): Promise<TestGateway> {
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  return startGateway({ models: [modelOf('acme/atlas-4', [north])], databaseUrl });
}

before(async () => {
  upstream = await startFakeUpstream();
  upstream.play({ steps: chatStream('Hi') });
  gateway = await start();
  managementKey = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

async function manage(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${gateway.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
  return { status: response.status, body: (await response.json()) as any };
}

async function statusOf(key: string, at = gateway): Promise<number> {
  const response = await at.get('/api/v1/key', { authorization: `Bearer ${key}` });
  await response.arrayBuffer();
  return response.status;
}

async function ask(key: string, at = gateway) {
  const body = { model: 'acme/atlas-4', input: 'Hi' };
  const response = await at.post(body, { authorization: `Bearer ${key}` });
  // biome-ignore lint/suspicious/noExplicitAny: only the cost is read.
  return { status: response.status, body: (await response.json()) as any };
}

async function made(fields: Record<string, unknown> = {}): Promise<{ key: string; hash: string }> {
  const { status, body } = await manage('POST', '/keys', { name: 'ci', ...fields });
  assert.equal(status, 201, JSON.stringify(body));
  return { key: body.key, hash: body.data.hash };
}

test('a rotated key keeps its hash, limit, spend and settings; both secrets work until one is ended', async () => {
  const settings = {
    limit: 5,
    limit_reset: 'weekly',
    allowed_models: ['acme/*'],
    allowed_ips: ['127.0.0.0/8'],
    rates: { requests_per_minute: 100, tokens_per_minute: null },
    parallel: 7,
  };
  const { key: old, hash } = await made(settings);
  assert.equal((await ask(old)).status, 200);
  const before = (await manage('GET', `/keys/${hash}`)).body.data;
  assert.ok(before.usage > 0);
  const { status, body } = await manage('POST', `/keys/${hash}/rotate`, { grace: '168h' });
  assert.equal(status, 201, JSON.stringify(body));
  assert.match(body.key, /^sk-hg-v1-[0-9a-f]{64}$/);
  assert.notEqual(body.key, old);
  const { label, updated_at, rotated_at, previous_secret_ends_at, ...rest } = body.data;
  const {
    label: oldLabel,
    updated_at: _at,
    rotated_at: never,
    previous_secret_ends_at: none,
    ...kept
  } = before;
  assert.deepEqual(rest, kept);
  assert.deepEqual([never, none], [null, null]);
  assert.notEqual(label, oldLabel);
  assert.deepEqual(body.replaces, { label: oldLabel, ends_at: previous_secret_ends_at });
  assert.equal(Date.parse(previous_secret_ends_at) - Date.parse(rotated_at), 168 * 3_600_000);
  assert.equal(updated_at, rotated_at);
  const own = async (key: string) => {
    const sent = { authorization: `Bearer ${key}` };
    return (await manage('GET', '/key', undefined, sent)).body.data.secret_ends_at;
  };
  assert.deepEqual([await own(old), await own(body.key)], [previous_secret_ends_at, undefined]);
  assert.deepEqual([await statusOf(old), await statusOf(body.key)], [200, 200]);
  const ended = await manage('POST', `/keys/${hash}/rotate`, { grace: '0s' });
  assert.deepEqual(
    [await statusOf(old), await statusOf(body.key), await statusOf(ended.body.key)],
    [401, 401, 200],
  );
  assert.ok(!gateway.log.some((line) => [old, body.key, ended.body.key].some((raw) => line.includes(raw))));
});

test('a grace time ends by itself, and 24 hours are usual', async () => {
  const { key: old, hash } = await made();
  const { body } = await manage('POST', `/keys/${hash}/rotate`, {});
  const { rotated_at, previous_secret_ends_at } = body.data;
  assert.equal(Date.parse(previous_secret_ends_at) - Date.parse(rotated_at), 24 * 3_600_000);
  const again = await manage('POST', `/keys/${hash}/rotate`, { grace: '1ms' });
  await eventually(
    'the end of both',
    async () => (await statusOf(old)) === 401 && (await statusOf(body.key)) === 401,
  );
  assert.equal(await statusOf(again.body.key), 200);
});

test('what both secrets spend counts in one limit, exactly, also when they are used at once', async () => {
  const price = (await ask(gateway.key)).body.usage.cost;
  assert.ok(price > 0);
  const calls = 12;
  const { key: old, hash } = await made({ limit: price * calls, limit_reset: 'monthly' });
  for (let call = 0; call < 3; call += 1) assert.equal((await ask(old)).status, 200);
  const { key } = (await manage('POST', `/keys/${hash}/rotate`, {})).body;
  const both = Array.from({ length: calls - 3 }, (_, at) => ask(at % 2 === 0 ? old : key));
  const costs = (await Promise.all(both)).map(({ body }) => body.usage.cost);
  assert.deepEqual(
    costs,
    costs.map(() => price),
  );
  const { data } = (await manage('GET', `/keys/${hash}`)).body;
  const nano = (amount: number) => Math.round(amount * 1e9);
  assert.deepEqual([nano(data.usage), nano(data.limit_remaining)], [nano(price) * calls, 0]);
  for (const one of [old, key]) assert.equal((await ask(one)).status, 402);
});

test('another process takes the new secret at once, and a restart keeps both', async () => {
  const other = await start();
  try {
    const { key: old, hash } = await made();
    assert.equal(await statusOf(old, other), 200);
    const { key } = (await manage('POST', `/keys/${hash}/rotate`, {})).body;
    assert.deepEqual([await statusOf(key, other), await statusOf(old, other)], [200, 200]);
    const ended = (await manage('POST', `/keys/${hash}/rotate`, { grace: '0s' })).body.key;
    assert.equal(await statusOf(ended, other), 200);
    assert.deepEqual([await statusOf(key, other), await statusOf(old, other)], [401, 401]);
    const third = (await manage('POST', `/keys/${hash}/rotate`, {})).body.key;
    const started = await start();
    assert.deepEqual([await statusOf(ended, started), await statusOf(third, started)], [200, 200]);
    assert.deepEqual([await statusOf(key, started), await statusOf(old, started)], [401, 401]);
    await started.stop();
  } finally {
    await other.stop();
  }
});

test('the hash of any working secret leads to its key, and a deleted key has none', async () => {
  const { hash } = await made();
  const { key } = (await manage('POST', `/keys/${hash}/rotate`, {})).body;
  assert.equal((await manage('GET', `/keys/${hashKey(key)}`)).body.data.hash, hash);
  assert.equal((await manage('DELETE', `/keys/${hash}`)).status, 200);
  assert.equal(await statusOf(key), 401);
  assert.equal((await manage('POST', `/keys/${hash}/rotate`, {})).status, 404);
});

test('a rotation with the same idempotency key is not made twice', async () => {
  const { hash } = await made();
  const send = () => manage('POST', `/keys/${hash}/rotate`, {}, { 'idempotency-key': 'rotate-7' });
  const [one, other] = (await Promise.all([send(), send()])).toSorted((a, b) => a.status - b.status);
  assert.deepEqual([one?.status, other?.status], [201, 422]);
  assert.match(
    other?.body.error.message,
    /^This rotation was made already, at .* rotate with another Idempotency-Key/,
  );
  assert.equal(await statusOf(one?.body.key), 200);
  assert.equal(
    (await manage('POST', `/keys/${hash}/rotate`, {}, { 'idempotency-key': 'x'.repeat(256) })).status,
    400,
  );
});

test('at most eight secrets work at the same time', async () => {
  const { hash } = await made();
  for (let count = 2; count <= 8; count += 1) {
    assert.equal((await manage('POST', `/keys/${hash}/rotate`, {})).status, 201);
  }
  const refused = await manage('POST', `/keys/${hash}/rotate`, {});
  assert.equal(refused.status, 400);
  assert.match(refused.body.error.message, /^8 secrets of this key work at the same time.*grace time of 0s/);
  assert.equal((await manage('POST', `/keys/${hash}/rotate`, { grace: '0s' })).status, 201);
  assert.equal((await manage('POST', `/keys/${hash}/rotate`, {})).status, 201);
});

test('a grace time that is none or too long is refused, and so are foreign and management keys', async () => {
  const { hash } = await made();
  for (const grace of ['169h', '-1h', 'soon', 3]) {
    assert.equal((await manage('POST', `/keys/${hash}/rotate`, { grace })).status, 400, String(grace));
  }
  const foreign = await gateway.storage.accounts.list();
  const owner = foreign.find(({ id }) => id !== gateway.account.id);
  assert.ok(owner !== undefined, 'earlier tests left the account of another gateway');
  const theirs = await gateway.createKey({ accountId: owner.id, workspaceId: owner.defaultWorkspaceId });
  for (const raw of [managementKey, theirs]) {
    assert.equal((await manage('POST', `/keys/${hashKey(raw)}/rotate`, {})).status, 404);
  }
});

test('the audit log has each rotation, without a secret or its hash', async () => {
  const { hash } = await made();
  const { key, data } = (await manage('POST', `/keys/${hash}/rotate`, { grace: '1h' })).body;
  const { body } = await manage('GET', '/audit?action=key.rotate&limit=1');
  const [entry] = body.data;
  assert.equal(entry.object.id, hash);
  assert.deepEqual(entry.after.secret, { set: true, changed: true });
  assert.equal(entry.after.label, data.label);
  assert.equal(entry.after.previous_secret_ends_at, data.previous_secret_ends_at);
  assert.ok(!JSON.stringify(entry).includes(hashKey(key)) && !JSON.stringify(entry).includes(key));
});

test('a session of the dashboard ends with the secret that was typed, one of the new secret goes on', async () => {
  const { key: old, hash } = await made();
  const before = new TestBrowser(gateway.url);
  assert.equal((await before.login(old)).status, 200);
  const { key } = (await manage('POST', `/keys/${hash}/rotate`, {})).body;
  const after = new TestBrowser(gateway.url);
  assert.equal((await after.login(key)).status, 200);
  assert.equal((await before.call('GET', '/ui/api/key')).status, 200);
  const question = { model: 'acme/atlas-4', input: 'Hi' };
  assert.equal((await before.call('POST', '/ui/api/responses', question)).status, 200);
  const newest = (await manage('POST', `/keys/${hash}/rotate`, { grace: '0s' })).body.key;
  assert.deepEqual(
    [(await before.call('GET', '/ui/api/key')).status, (await after.call('GET', '/ui/api/key')).status],
    [401, 401],
  );
  assert.equal((await new TestBrowser(gateway.url).login(key)).status, 401);
  assert.equal((await new TestBrowser(gateway.url).login(newest)).status, 200);
});
