import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRawKey, hashKey } from '../../src/core/api-key.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { mostFound } from '../../src/management/search/search.ts';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { TestBrowser } from '../support/dashboard.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { checkPublished } from '../support/published-interface.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;
/** Of the account, which operates the installation. */
let operator: string;
/** Of another account. */
let foreign: string;
let foreignKey: string;

before(async () => {
  upstream = await startFakeUpstream({ whole: chatBody('Good day.'), steps: [] });
  const north = providerOf({ slug: 'north', name: 'NorthGPU', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [north]), modelOf('acme/atlas-4-mini', [north])],
  });
  operator = await gateway.createKey({ kind: 'management', workspaceId: null, name: 'root' });
  const other = newAccount('Other', 'invoice', Date.now() + 1);
  await gateway.storage.accounts.create(other);
  const owner = { accountId: other.id, createdAt: Date.now() };
  [foreign, foreignKey] = [createRawKey(), createRawKey()];
  const { keys } = gateway.storage;
  await keys.create(newKey(foreign, { ...owner, kind: 'management', name: 'boss', workspaceId: null }));
  const inside = { kind: 'inference', name: 'crawler', workspaceId: other.defaultWorkspaceId } as const;
  await keys.create(newKey(foreignKey, { ...owner, ...inside }));
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

interface Hit {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly detail: string | null;
}

async function search(q: string, key: string): Promise<readonly Hit[]> {
  const response = await fetch(`${gateway.url}/api/v1/search?q=${encodeURIComponent(q)}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  assert.equal(response.status, 200, await response.clone().text());
  const body = (await response.json()) as { data: readonly Hit[] };
  checkPublished('SearchResults', body);
  return body.data;
}

const kinds = async (q: string, key: string) => (await search(q, key)).map(({ kind, id }) => `${kind} ${id}`);

test('a call and a session are found by their ids, by whoever may see them', async () => {
  const ask = (key: string) =>
    gateway.post(
      { model: 'acme/atlas-4', input: 'Hello', session_id: 'trip-2026' },
      { authorization: `Bearer ${key}` },
    );
  const response = await ask(gateway.key);
  await response.text();
  const id = response.headers.get('x-generation-id') ?? '';
  const second = await gateway.createKey({ name: 'second' });
  assert.deepEqual(await kinds(` ${id} `, gateway.key), [`generation ${id}`]);
  assert.deepEqual(await kinds(id, operator), [`generation ${id}`]);
  for (const key of [second, foreign, foreignKey]) assert.deepEqual(await kinds(id, key), []);
  assert.deepEqual(await kinds('trip-2026', gateway.key), ['session trip-2026']);
  assert.deepEqual(await kinds('trip-2026', operator), ['session trip-2026']);
  for (const key of [second, foreign, foreignKey]) assert.deepEqual(await kinds('trip-2026', key), []);
  assert.deepEqual(await kinds('trip-20', operator), [], 'an id must be whole');
  assert.deepEqual(await kinds('gen-0-none', operator), []);
});

test('models and providers are found by everybody, the whole name first', async () => {
  for (const key of [operator, foreign, gateway.key]) {
    const found = await kinds('acme/atlas-4', key);
    assert.deepEqual(found.slice(0, 2), ['model acme/atlas-4', 'model acme/atlas-4-mini']);
    assert.deepEqual(await kinds('mini atlas', key), ['model acme/atlas-4-mini'], 'words in any order');
    assert.deepEqual(await kinds('northgpu', key), ['provider north']);
  }
});

test('what a management key has is found by name; inference keys and others find none of it', async () => {
  const raw = await gateway.createKey({ name: 'zebra-batch', disabled: true });
  const { account, storage } = gateway;
  await storage.workspaces.create({
    ...((await storage.workspaces.find(account.id, account.defaultWorkspaceId ?? '')) ?? assert.fail()),
    id: 'ws-zebra',
    name: 'Zebra crossing',
    slug: 'zebra',
  });
  const found = await kinds('zebra', operator);
  assert.deepEqual(found, ['workspace ws-zebra', `key ${hashKey(raw)}`]);
  assert.deepEqual(await kinds(hashKey(raw), operator), [`key ${hashKey(raw)}`]);
  for (const key of [gateway.key, foreign, foreignKey]) {
    assert.deepEqual(await kinds('zebra', key), []);
    assert.deepEqual(await kinds(hashKey(raw), key), []);
  }
  assert.deepEqual(await kinds('crawler', foreign), [`key ${hashKey(foreignKey)}`]);
  assert.deepEqual(await kinds('crawler', operator), []);
  assert.deepEqual(await kinds('boss', foreign), [], 'management keys are made by command');
});

test('at most twenty are found; a text must be there and short; the session of a page may ask', async () => {
  for (let n = 0; n < mostFound + 3; n += 1) await gateway.createKey({ name: `herd-${n}` });
  assert.equal((await search('herd', operator)).length, mostFound);
  assert.deepEqual(await kinds('herd-7', operator).then(([first]) => first?.split(' ')[0]), 'key');
  for (const q of ['', `?q=${'x'.repeat(201)}`, '?q=%00']) {
    const response = await gateway.get(`/api/v1/search${q}`);
    assert.equal(response.status, 400, q);
    await response.text();
  }
  assert.deepEqual(await kinds('   ', operator), []);
  const browser = new TestBrowser(gateway.url);
  await browser.login(gateway.key);
  const { status, body } = await browser.call('GET', '/ui/api/search?q=atlas-4');
  assert.deepEqual([status, body.data.length], [200, 2]);
});
