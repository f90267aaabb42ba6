import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { operator } from '../../src/management/actor.ts';
import { verifyAudit } from '../../src/management/audit/audit.ts';
import { providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let boss: string;

before(async () => {
  gateway = await startGateway({ models: [], providers: [providerOf({ slug: 'openai' })] });
  boss = await gateway.createKey({ kind: 'management', workspaceId: null, creatorUserId: 'user_boss' });
});

after(() => gateway.stop());

async function call(method: string, path: string, body?: unknown, key = boss) {
  const response = await fetch(`${gateway.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const id = response.headers.get('x-request-id');
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
  return { status: response.status, id, body: (await response.json()) as any };
}

const entriesOf = async (query = '') => (await call('GET', `/audit${query}`)).body;

test('creating, changing and deleting a key leaves entries with what changed and by whom, and no key', async () => {
  const made = await call('POST', '/keys', { name: 'ci', limit: 5 });
  const { hash } = made.body.data;
  const changed = await call('PATCH', `/keys/${hash}`, { limit: 7, name: 'ci' });
  assert.equal((await call('DELETE', `/keys/${hash}`)).status, 200);
  const { data, next } = await entriesOf(`?object_id=${hash}`);
  assert.equal(next, null);
  const [deleted, updated, created] = data;
  assert.deepEqual(
    data.map((entry: { action: string }) => entry.action),
    ['key.delete', 'key.update', 'key.create'],
  );
  assert.deepEqual(created.actor, {
    type: 'management_key',
    key_hash: hashKey(boss),
    key_label: `${boss.slice(0, 12)}...${boss.slice(-3)}`,
    user_id: 'user_boss',
    address: '127.0.0.1',
  });
  assert.deepEqual(created.object, {
    type: 'key',
    id: hash,
    workspace_id: gateway.account.defaultWorkspaceId,
  });
  assert.deepEqual([created.before, created.after.name, created.after.limit], [null, 'ci', 5]);
  assert.deepEqual([updated.before, updated.after], [{ limit: 5 }, { limit: 7 }]);
  assert.deepEqual([deleted.before.name, deleted.after], ['ci', null]);
  assert.deepEqual([created.request_id, updated.request_id], [made.id, changed.id]);
  assert.equal(updated.previous, created.hash);
  assert.ok(!JSON.stringify(data).includes(made.body.key));
});

test('a credential is recorded without its secret and its label', async () => {
  const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789';
  const made = await call('POST', '/byok', { provider: 'openai', key: secret });
  assert.equal(made.status, 200);
  const { id } = made.body.data;
  const other = `${secret}-other`;
  assert.equal((await call('PATCH', `/byok/${id}`, { key: other, is_fallback: true })).status, 200);
  assert.equal((await call('DELETE', `/byok/${id}`)).status, 200);
  const { data } = await entriesOf(`?object_id=${id}`);
  const [deleted, updated, created] = data;
  assert.deepEqual(updated.before, { is_fallback: false });
  assert.deepEqual(updated.after, { is_fallback: true, secret: { set: true, changed: true } });
  assert.deepEqual(created.after.secret, { set: true, changed: true });
  assert.equal(deleted.after, null);
  const text = JSON.stringify(data);
  for (const part of [secret, secret.slice(0, 10), other.slice(-5), hashKey(secret), 'label":"sk-proj']) {
    assert.ok(!text.includes(part), part);
  }
});

test('workspaces are recorded; an operation that is refused is recorded with the type of its error', async () => {
  const made = await call('POST', '/workspaces', { name: 'Lab', slug: 'lab' });
  assert.equal(made.status, 201);
  assert.equal((await call('POST', '/workspaces', { name: 'Lab 2', slug: 'lab' })).status, 400);
  assert.equal((await call('DELETE', '/keys/nobody')).status, 404);
  const { data } = await entriesOf('?outcome=refused&from=2026-01-01T00:00:00Z');
  const refused = data.map((entry: { action: string; reason: string; object: { id: string } }) => [
    entry.action,
    entry.reason,
    entry.object.id,
  ]);
  assert.deepEqual(refused, [
    ['key.delete', 'not_found', 'nobody'],
    ['workspace.create', 'invalid_request', null],
  ]);
  const [created] = (await entriesOf('?action=workspace.create&outcome=ok')).data;
  assert.deepEqual([created.after.slug, created.object.id], ['lab', made.body.data.id]);
});

test('calls without the right key are recorded, ten a minute of an address', async () => {
  const { body } = await call('GET', '/keys', undefined, gateway.key);
  assert.equal(body.error.code, 403);
  const refusedCall = async () => (await entriesOf('?action=api.call')).data;
  const [entry] = await eventually('an entry of the refusal', async () => {
    const found = await refusedCall();
    return found.length > 0 ? found : undefined;
  });
  assert.deepEqual(
    [entry.actor.type, entry.actor.key_hash, entry.object.id, entry.reason, entry.outcome],
    ['inference_key', gateway.keyHash, 'GET /api/v1/keys', 'permission_denied', 'refused'],
  );
  for (let count = 0; count < 25; count += 1) {
    assert.equal((await call('POST', '/keys', {}, `unknown-${count}`)).status, 401);
  }
  const unknown = await eventually('entries of unknown keys', async () => {
    const found = await gateway.storage.audit.list({ accountId: null, limit: 99 });
    return found.length > 3 ? found : undefined;
  });
  const all = await gateway.storage.audit.list({ accountId: null, outcome: 'refused', limit: 99 });
  // A minute may end in between.
  assert.ok(all.length <= 20, String(all.length));
  assert.deepEqual([unknown[0]?.actor.type, unknown[0]?.reason], ['anonymous', 'authentication']);
});

test('pages follow each other; filters and cursors that are malformed are refused', async () => {
  const whole = (await entriesOf()).data;
  const pages = [];
  for (let cursor = ''; ; ) {
    const { data, next } = await entriesOf(`?limit=2${cursor}`);
    pages.push(...data);
    if (next === null) break;
    assert.equal(data.length, 2);
    cursor = `&cursor=${next}`;
  }
  assert.deepEqual(pages, whole);
  for (const query of ['?limit=101', '?limit=0', '?cursor=x', '?from=yesterday', '?outcome=maybe']) {
    assert.equal((await call('GET', `/audit${query}`)).status, 400, query);
  }
  assert.equal((await call('DELETE', '/audit')).status, 405);
});

test('a file has all entries of the account, with the same filters, and opens no formula', async () => {
  await call('POST', '/keys', { name: '=cmd()', limit: 5 });
  const file = async (query: string, key = boss) => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${gateway.url}/api/v1/audit/export${query}`, { headers });
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename="audit\./);
    return response.text();
  };
  for (const filters of ['', 'action=key.create', 'outcome=refused']) {
    const lines = (await file(`?format=jsonl&${filters}`)).split('\n').filter(Boolean);
    const listed = (await entriesOf(`?limit=100&${filters}`)).data;
    assert.ok(listed.length > 0, filters);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      listed,
    );
  }
  const [newest] = (await entriesOf('?limit=1&action=key.create')).data;
  const [head = '', first = ''] = (await file('?action=key.create')).split('\r\n');
  assert.match(head, /^at,seq,id,actor_type,/);
  assert.ok(first.startsWith(`${newest.at},${newest.seq},${newest.id},management_key,`), first);
  assert.ok(first.includes('""name"":""=cmd()""'), first);
  assert.equal((await call('GET', '/audit/export', undefined, gateway.key)).status, 403);
});

test('an account sees nothing of another one, and its chain is intact', async () => {
  const { storage } = gateway;
  const other = newAccount('Other', 'invoice', Date.now());
  await storage.accounts.create(other);
  const key = await gateway.createKey({ accountId: other.id, kind: 'management', workspaceId: null });
  const { body } = await call('GET', '/audit', undefined, key);
  assert.deepEqual(body, { data: [], next: null });
  const headers = { authorization: `Bearer ${key}` };
  assert.equal(
    await (await fetch(`${gateway.url}/api/v1/audit/export?format=jsonl`, { headers })).text(),
    '',
  );
  assert.equal((await call('GET', '/audit', undefined, gateway.key)).status, 403);
  const chains = await verifyAudit(operator, undefined, { storage });
  assert.deepEqual(
    chains.filter(({ broken }) => broken !== undefined),
    [],
  );
});
