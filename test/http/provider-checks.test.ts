import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createRawKey } from '../../src/core/api-key.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { ProviderChecks } from '../../src/management/providers/check-provider.ts';
import { Secret } from '../../src/util/secret.ts';
import { type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { TestBrowser } from '../support/dashboard.ts';
import { configOf, startGateway } from '../support/gateway.ts';

const secret = 'sk-of-the-operator-0123456789';
const headers = { 'content-type': 'application/json' };
const listing = (...ids: string[]): Script => ({
  headers,
  steps: [JSON.stringify({ data: ids.map((id) => ({ id })) })],
});

async function begin(t: TestContext) {
  const upstream = await startFakeUpstream(listing('atlas-4', 'other'));
  t.after(() => upstream.close());
  const baseUrl = `${upstream.url}/v1`;
  const north = providerOf({ slug: 'north', baseUrl, apiKey: new Secret(secret) });
  const bare = providerOf({ slug: 'bare', baseUrl });
  const vertex = providerOf({
    slug: 'vertex',
    adapter: 'google-vertex',
    baseUrl,
    apiKey: new Secret(secret),
  });
  const sandbox = providerOf({ slug: 'box', adapter: 'sandbox' });
  const gateway = await startGateway({
    models: [
      modelOf('acme/atlas-4', [north, bare, vertex, sandbox]),
      modelOf('acme/gone', [north]),
      modelOf('acme/hidden', [north], { status: 'disabled' }),
    ],
  });
  t.after(() => gateway.stop());
  const boss = await gateway.createKey({ kind: 'management', workspaceId: null });
  const check = (slug: string, key = boss) => callApi(gateway, key, 'POST', `/providers/${slug}/check`, {});
  return { upstream, gateway, boss, check };
}

test('a provider is asked once for its list, with the operator’s credential, and compared with the catalogue', async (t) => {
  const { upstream, check } = await begin(t);
  const { status, body } = await check('north');
  assert.equal(status, 200);
  assert.deepEqual(body.data, {
    provider: 'north',
    ok: true,
    checked: true,
    detail: 'lists 2 models',
    credential: 'accepted',
    listed: 2,
    unlisted: [{ model: 'acme/gone', upstream_model: 'gone' }],
  });
  const [asked] = upstream.requests;
  assert.deepEqual(
    [upstream.requests.length, asked?.method, asked?.path, asked?.headers.authorization],
    [1, 'GET', '/v1/models', `Bearer ${secret}`],
  );
  const bare = (await check('bare')).body.data;
  assert.deepEqual([bare.ok, bare.credential, bare.unlisted], [true, null, []], 'no credential to accept');
});

test('a refused credential, an answer that is no list and silence are told apart, without the secret', async (t) => {
  const { upstream, check, gateway } = await begin(t);
  const ask = async (script: Script, slug = 'north') => {
    upstream.play(script);
    const { status, body, text } = await check(slug);
    assert.equal(status, 200, text);
    assert.ok(!text.includes(secret));
    assert.deepEqual(
      [body.data.ok, body.data.checked, body.data.listed, body.data.unlisted],
      [false, true, null, []],
    );
    return body.data;
  };
  const refused = await ask({ status: 401, headers, steps: [JSON.stringify({ error: secret })] });
  assert.deepEqual([refused.credential, refused.detail], ['refused', 'answered 401: check its credential']);
  assert.equal((await ask({ status: 401, headers, steps: ['{}'] }, 'bare')).credential, null);
  assert.match((await ask({ status: 500, headers, steps: ['{}'] })).detail, /answered 500: try again later/);
  assert.match((await ask({ headers, steps: [`"${secret}"`] })).detail, /no model list: check base_url/);
  const limit = AbortSignal.timeout;
  t.mock.method(AbortSignal, 'timeout', (delay: number) =>
    limit.call(AbortSignal, delay === 10_000 ? 50 : delay),
  );
  assert.match((await ask({ ending: 'hang' })).detail, /no answer within 10 s/);
  t.mock.restoreAll();
  const large = Array.from({ length: 17 }, () => Buffer.alloc(1024 * 1024, ' '));
  assert.match((await ask({ headers, steps: large })).detail, /could not be reached/);
  assert.ok(!gateway.log.join('\n').includes(secret));
});

test('a provider without a model list says so and is not asked; an unknown one is not found', async (t) => {
  const { upstream, check } = await begin(t);
  for (const [slug, detail] of [
    ['vertex', 'has no model list that could be asked for'],
    ['box', 'needs no network'],
  ] as const) {
    const { data } = (await check(slug)).body;
    assert.deepEqual([data.ok, data.checked, data.detail, data.credential], [true, false, detail, null]);
  }
  assert.equal((await check('none')).status, 404);
  assert.equal(upstream.requests.length, 0);
});

test('who asks while a provider is being asked gets the same answer', async (t) => {
  const upstream = await startFakeUpstream({ ...listing('atlas-4'), delay: 20 });
  t.after(() => upstream.close());
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const { catalogue } = configOf({ models: [modelOf('acme/atlas-4', [north])] });
  const checks = new ProviderChecks();
  const actor = { kind: 'operator' } as const;
  const [one, two] = await Promise.all([
    checks.check(actor, 'north', catalogue),
    checks.check(actor, 'north', catalogue),
  ]);
  assert.equal(one, two);
  assert.equal(upstream.requests.length, 1);
  await checks.check(actor, 'north', catalogue);
  assert.equal(upstream.requests.length, 2, 'later it is asked again');
});

test('only operators check providers and see how they are reached', async (t) => {
  const { upstream, gateway, boss, check } = await begin(t);
  const account = newAccount('Neighbour', 'invoice', Date.now() + 1);
  await gateway.storage.accounts.create(account);
  const manager = createRawKey();
  const owner = { accountId: account.id, workspaceId: null, createdAt: Date.now() };
  await gateway.storage.keys.create(newKey(manager, { ...owner, kind: 'management', name: 'theirs' }));
  const connections = (key: string) => callApi(gateway, key, 'GET', '/providers/connections');
  for (const key of [gateway.key, manager]) {
    assert.equal((await check('north', key)).status, 403);
    assert.equal((await connections(key)).status, 403);
  }
  assert.equal(upstream.requests.length, 0);
  const { host } = new URL(upstream.url);
  const known = await connections(boss);
  assert.deepEqual(
    known.body.data.find(({ slug }: { slug: string }) => slug === 'north'),
    { slug: 'north', adapter: 'openai-chat', base_host: host, credentials: 1, can_be_checked: true },
  );
  assert.deepEqual(
    known.body.data.find(({ slug }: { slug: string }) => slug === 'box'),
    { slug: 'box', adapter: 'sandbox', base_host: null, credentials: 0, can_be_checked: false },
  );
  assert.ok(!known.text.includes(secret));
  const page = new TestBrowser(gateway.url);
  await page.login(boss);
  assert.equal((await page.call('POST', '/ui/api/providers/north/check', {})).status, 200);
  gateway.setServer({ dashboard: { ...configOf({ models: [] }).server.dashboard, readOnly: true } });
  assert.equal((await page.call('POST', '/ui/api/providers/north/check', {})).status, 403);
});
