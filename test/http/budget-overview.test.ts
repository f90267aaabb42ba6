import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRawKey, hashKey } from '../../src/core/api-key.ts';
import { parsePricePerMillion, parseUsd } from '../../src/core/money.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { checkPublished } from '../support/published-interface.ts';
import { roomInWindow } from '../support/windows.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;
let manager: string;
let stranger: string;

before(async () => {
  await roomInWindow('day', 30_000);
  upstream = await startFakeUpstream({ whole: chatBody('Good day.') });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const price = { prompt: parsePricePerMillion(1_000), completion: parsePricePerMillion(1_000) };
  gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north], { price })] });
  manager = await gateway.createKey({ kind: 'management', workspaceId: null });
  const other = newAccount('Other', 'invoice', Date.now() + 1);
  await gateway.storage.accounts.create(other);
  stranger = createRawKey();
  const owner = { accountId: other.id, createdAt: Date.now(), workspaceId: null };
  await gateway.storage.keys.create(newKey(stranger, { ...owner, kind: 'management', name: 'boss' }));
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

async function call(path: string, key: string, method = 'GET', body?: object) {
  const response = await fetch(`${gateway.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
  return { status: response.status, body: (await response.json()) as any };
}

test('limits of keys, workspaces and guardrails are listed with what is used of them, the worst first', async () => {
  assert.deepEqual((await call('/budgets', manager)).body.data, []);
  const near = await gateway.createKey({ name: 'near', limit: parseUsd('0.02'), limitReset: 'daily' });
  const far = await gateway.createKey({ name: 'far', limit: parseUsd(5) });
  await gateway.createKey({ name: 'off', limit: parseUsd(1), disabled: true });
  await gateway.createKey({ name: 'unlimited' });
  const workspace = gateway.account.defaultWorkspaceId ?? '';
  const put = await call(`/workspaces/${workspace}/budgets/monthly`, manager, 'PUT', { limit_usd: 1 });
  assert.equal(put.status, 200);
  const guardrail = await call('/guardrails', manager, 'POST', {
    name: 'g',
    limit_usd: 0.5,
    reset_interval: null,
  });
  assert.equal(guardrail.status, 201);
  const assigned = await call(`/guardrails/${guardrail.body.data.id}/assignments/keys`, manager, 'POST', {
    key_hashes: [hashKey(far)],
  });
  assert.equal(assigned.status, 200, JSON.stringify(assigned.body));
  const request = { model: 'acme/atlas-4', input: 'Hello' };
  const asked = await call('/responses', near, 'POST', request);
  assert.equal(asked.status, 200);
  const cost = parseUsd(asked.body.usage.cost);
  assert.ok(cost > 0n);

  const { status, body } = await call('/budgets', manager);
  assert.equal(status, 200);
  checkPublished('LimitList', body);
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const lines = body.data.map((one: any) => [
    one.scope,
    one.name,
    one.reset_interval,
    one.limit_nano,
    one.spent_nano,
  ]);
  assert.deepEqual(lines.slice(0, 2), [
    ['key', 'near', 'daily', '20000000', String(cost)],
    ['workspace', 'Default', 'monthly', '1000000000', String(cost)],
  ]);
  // Nothing is used of these two: they come in any order.
  assert.deepEqual(lines.slice(2).sort(), [
    ['api_key', 'far', null, '500000000', '0'],
    ['key', 'far', null, '5000000000', '0'],
  ]);
  const [first] = body.data;
  assert.equal(first.include_byok, false);
  assert.equal(first.subject, hashKey(near));
  assert.equal(Date.parse(first.resets_at) % 86_400_000, 0);
});

test('another account sees none of them, and an inference key may not ask', async () => {
  assert.deepEqual((await call('/budgets', stranger)).body.data, []);
  assert.equal((await call('/budgets', gateway.key)).status, 403);
});
