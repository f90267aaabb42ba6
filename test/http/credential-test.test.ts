import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createRawKey, hashKey } from '../../src/core/api-key.ts';
import { parsePricePerMillion, parseUsd } from '../../src/core/money.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { mostTests } from '../../src/management/credentials/try-credential.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { Secret } from '../../src/util/secret.ts';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { TestBrowser } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { configOf, type GatewayOptions, startGateway } from '../support/gateway.ts';
import { roomInWindow } from '../support/windows.ts';

const sharedKey = 'sk-of-the-operator-0123456789';
const secret = 'sk-live-7Hq2ZpXw93LmTtVbNc84';
const good: Script = { whole: chatBody('OK') };
const pricePer = (prompt: number, completion: number) => ({
  price: { prompt: parsePricePerMillion(prompt), completion: parsePricePerMillion(completion) },
});
/** What 9 input tokens and one of output cost at 3 and 15 USD per million. */
const list = '42000';

/** A gateway whose provider serves an expensive, a thinking and a cheap model, with a shared credential besides. */
async function begin(t: TestContext, change: Partial<GatewayOptions> = {}) {
  await roomInWindow('day', 30_000);
  const upstream = await startFakeUpstream(good);
  t.after(() => upstream.close());
  const baseUrl = `${upstream.url}/v1`;
  const [deep, groq] = ['deepinfra', 'groq'].map((slug) =>
    providerOf({ slug, name: slug, baseUrl, apiKey: new Secret(sharedKey) }),
  );
  assert.ok(deep && groq);
  const thinker = modelOf('acme/thinker', [deep], pricePer(0, 0));
  const gateway = await startGateway({
    models: [
      modelOf('acme/dear', [deep], pricePer(30, 150)),
      { ...thinker, reasoning: { mandatory: true } },
      modelOf('acme/atlas-4', [deep, groq]),
    ],
    ...change,
  });
  t.after(() => gateway.stop());
  const boss = await gateway.createKey({ kind: 'management', workspaceId: null });
  const manage = (method: string, path: string, body?: unknown, key = boss) =>
    callApi(gateway, key, method, path, body);
  const store = async (fields: object = {}): Promise<string> => {
    const made = await manage('POST', '/byok', { provider: 'deepinfra', key: secret, ...fields });
    assert.equal(made.status, 200, made.text);
    return made.body.data.id;
  };
  const tryIt = (id: string, body: unknown = {}, key = boss) => manage('POST', `/byok/${id}/test`, body, key);
  return { upstream, gateway, boss, manage, store, tryIt };
}

test('a test is one short call with this credential alone, to the cheapest model, recorded and charged like any', async (t) => {
  const byok = { feeRate: 0.05, monthlyAllowance: parseUsd('0'), enterpriseMonthlyAllowance: parseUsd('0') };
  const { upstream, gateway, store, tryIt, manage } = await begin(t, { config: { byok } });
  await store({ key: 'sk-another-credential-00001' });
  const id = await store({ is_fallback: true, name: 'eu' });
  const { status, body, text } = await tryIt(id);
  assert.equal(status, 200, text);
  const { latency_ms: latency, generation_id: generationId, ...rest } = body.data;
  assert.ok(latency >= 0);
  // The fee of 5 % on what the provider charges.
  assert.deepEqual(rest, {
    ok: true,
    error: null,
    cost_nano: '2100',
    byok_cost_nano: list,
    model: 'acme/atlas-4',
    key_hash: gateway.keyHash,
  });
  assert.equal(upstream.requests.length, 1, 'one call');
  const [asked] = upstream.requests;
  assert.equal(asked?.headers.authorization, `Bearer ${secret}`);
  assert.ok(JSON.stringify(asked?.body).includes('Answer with the word OK.'));
  const record = await gateway.storage.generations.find(generationId);
  assert.deepEqual(
    [record?.credentialId, record?.isByok, record?.cost, record?.appTitle, record?.attempts.length],
    [id, true, 2100n, 'Credential test', 1],
  );
  const key = (await manage('GET', `/keys/${gateway.keyHash}`)).body.data;
  assert.deepEqual([key.usage, key.byok_usage], [0.0000021, 0.000042]);
  const { data: entries } = (await manage('GET', '/audit?action=credential.test')).body;
  assert.equal(entries.length, 1);
  assert.equal(entries[0].object.id, id);
  assert.deepEqual(entries[0].after.model, 'acme/atlas-4');
  // A model and a key can be named.
  const named = hashKey(await gateway.createKey());
  const other = await tryIt(id, { model: 'acme/dear', key_hash: named });
  assert.deepEqual([other.body.data.model, other.body.data.key_hash], ['acme/dear', named], other.text);
});

test('what the provider refuses is told without the secret, and neither another credential nor shared capacity helps', async (t) => {
  const { upstream, store, tryIt, gateway } = await begin(t);
  await store({ key: 'sk-another-credential-00001' });
  const id = await store();
  const cases = [
    [401, 'upstream_credential'],
    [429, 'upstream_rate_limit'],
    [404, 'upstream_not_found'],
    [500, 'provider_failed'],
  ] as const;
  for (const [status, row] of cases) {
    const whole = JSON.stringify({ error: { message: `Not ${secret}`, code: 'no_such_key' } });
    upstream.play({ status, headers: { 'content-type': 'application/json' }, steps: [whole], whole });
    const before = upstream.requests.length;
    const answer = await tryIt(id);
    assert.equal(answer.status, 200, answer.text);
    const { ok, error, cost_nano: cost, byok_cost_nano: byok } = answer.body.data;
    assert.deepEqual([ok, error.row, cost, byok], [false, row, '0', '0'], answer.text);
    assert.notEqual(error.message, '');
    assert.ok(!answer.text.includes(secret), 'never echoed');
    assert.equal(upstream.requests.length, before + 1, 'one call');
    assert.equal(upstream.requests.at(-1)?.headers.authorization, `Bearer ${secret}`);
  }
  assert.ok(!gateway.log.join('\n').includes(secret));
});

test('a provider that says nothing is left after 15 seconds', async (t) => {
  const { upstream, store, tryIt } = await begin(t);
  const id = await store();
  upstream.play({ ending: 'hang' });
  const begun = performance.now();
  const wait = globalThis.setTimeout;
  // The only timer of that length becomes a short one.
  const shorter = ((run: () => void, delay?: number) =>
    wait(run, delay === 15_000 ? 50 : delay)) as typeof wait;
  t.mock.method(globalThis, 'setTimeout', shorter);
  const { body, text } = await tryIt(id);
  assert.deepEqual([body.data.ok, body.data.error.row], [false, 'deadline_exceeded'], text);
  assert.match(body.data.error.message, /within 15 seconds/);
  assert.ok(body.data.latency_ms <= performance.now() - begun + 1);
  await upstream.closedConnections(1);
});

test('what cannot be tested is refused with what to do, and nothing is called', async (t) => {
  const { upstream, gateway, store, tryIt, manage } = await begin(t);
  const refused = async (id: string, status: number, message: RegExp, body: unknown = {}) => {
    const answer = await tryIt(id, body);
    assert.equal(answer.status, status, answer.text);
    assert.match(answer.body.error.message, message);
  };
  const off = await store({ disabled: true });
  await refused(off, 400, /is disabled\. Enable it/);
  const unserved = await store({ provider: 'cerebras' });
  await refused(unserved, 400, /No model of cerebras is served here\. The operator can add/);
  const nothing = await store({ allowed_models: [] });
  await refused(nothing, 400, /Change "allowed_models"/);
  const narrow = await store({ allowed_models: ['acme/dear'] });
  await refused(narrow, 400, /^model: deepinfra does not serve "acme\/atlas-4"/, { model: 'acme/atlas-4' });
  await refused(narrow, 400, /^model: deepinfra does not serve "acme\/none"/, { model: 'acme/none' });
  await refused(narrow, 400, /prompt/, { prompt: 'Tell me a story' });
  await refused('00000000-0000-4000-8000-000000000000', 404, /no such credential/);
  await refused(narrow, 404, /no such key/, { key_hash: 'f'.repeat(64) });
  const forUser = await store({ allowed_user_ids: ['user-1'] });
  await refused(forUser, 400, /no enabled key may use this credential\. Create a key/);
  await refused(forUser, 400, /^key_hash: names a key that may not use/, { key_hash: gateway.keyHash });
  const users = hashKey(await gateway.createKey({ creatorUserId: 'user-1' }));
  await manage('PATCH', `/keys/${users}`, { allowed_models: ['acme/none'] });
  await refused(forUser, 400, /Change "allowed_models"/);
  assert.equal(upstream.requests.length, 0);
  await manage('PATCH', `/keys/${users}`, { allowed_models: ['acme/d*'] });
  const answer = await tryIt(forUser);
  assert.deepEqual([answer.body.data.model, answer.body.data.key_hash], ['acme/dear', users], answer.text);
});

test('limits of the key and of the account hold for tests as for every call', async (t) => {
  const { upstream, gateway, store, tryIt } = await begin(t);
  const id = await store();
  const poor = hashKey(await gateway.createKey({ limit: parseUsd('0'), includeByokInLimit: true }));
  const answer = await tryIt(id, { key_hash: poor });
  assert.equal(answer.status, 402, answer.text);
  assert.equal(upstream.requests.length, 0);
});

test('an account has so many tests at once, and those of another account run beside them', async (t) => {
  const { upstream, store, tryIt, gateway } = await begin(t);
  const id = await store();
  upstream.play({ ending: 'hang' });
  const stop = new AbortController();
  const url = `${gateway.url}/api/v1/byok/${id}/test`;
  const boss = await gateway.createKey({ kind: 'management', workspaceId: null });
  const headers = { authorization: `Bearer ${boss}`, 'content-type': 'application/json' };
  const running = Array.from({ length: mostTests }, () =>
    fetch(url, { method: 'POST', headers, body: '{}', signal: stop.signal }).catch(() => undefined),
  );
  await eventually('all tests to be at the provider', () => upstream.requests.length === mostTests);
  const many = await tryIt(id);
  assert.equal(many.status, 429, many.text);
  assert.equal(many.headers.get('retry-after'), '5');
  const foreign = await neighbour(gateway);
  assert.equal((await tryIt(id, {}, foreign)).status, 404, 'another account has its own');
  // Who leaves stops the call, and makes room.
  stop.abort();
  await Promise.all(running);
  upstream.play(good);
  await eventually('room for another test', async () => (await tryIt(id)).status === 200);
});

test('managers and operators test; key holders and other accounts do not, nor a dashboard that is read-only', async (t) => {
  const { upstream, gateway, boss, store, tryIt } = await begin(t);
  const id = await store();
  assert.equal((await tryIt(id, {}, gateway.key)).status, 403, 'a key holder');
  assert.equal((await tryIt(id, {}, await neighbour(gateway))).status, 404, 'another account');
  const reading = await gateway.createKey({ kind: 'management', workspaceId: null, scopes: ['read'] });
  assert.equal((await tryIt(id, {}, reading)).status, 403, 'a key that may only read');
  assert.equal(upstream.requests.length, 0);
  const page = new TestBrowser(gateway.url);
  await page.login(boss);
  assert.equal((await page.call('POST', `/ui/api/byok/${id}/test`, {})).body.data.ok, true);
  const holder = new TestBrowser(gateway.url);
  await holder.login(gateway.key);
  assert.equal((await holder.call('POST', `/ui/api/byok/${id}/test`, {})).status, 403);
  gateway.setServer({ dashboard: { ...configOf({ models: [] }).server.dashboard, readOnly: true } });
  const refused = await page.call('POST', `/ui/api/byok/${id}/test`, {});
  assert.equal(refused.status, 403);
  assert.match(refused.body.error.message, /read-only/);
  assert.equal(upstream.requests.length, 1);
});

/** The management key of another account. */
async function neighbour({ storage }: Awaited<ReturnType<typeof startGateway>>): Promise<string> {
  const account = newAccount('Neighbour', 'invoice', Date.now());
  await storage.accounts.create(account);
  const raw = createRawKey();
  const owner = { accountId: account.id, workspaceId: null, createdAt: Date.now() };
  await storage.keys.create(newKey(raw, { ...owner, kind: 'management', name: 'theirs' }));
  return raw;
}
