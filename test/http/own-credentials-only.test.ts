import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream({
    headers: { 'content-type': 'application/json' },
    steps: [chatBody('Good day.')],
  });
  const provider = providerOf({
    slug: 'deepinfra',
    name: 'Deep',
    baseUrl: `${upstream.url}/v1`,
    ownCredentialsOnly: true,
  });
  const shared = providerOf({ slug: 'groq', name: 'Groq', baseUrl: `${upstream.url}/v1` });
  const [own] = modelOf('acme/able', [provider], { supportedParameters: new Set(['tools']) }).endpoints;
  const [flexible] = modelOf('acme/able', [provider], { tag: 'deepinfra/flex', tier: 'flex' }).endpoints;
  const [other] = modelOf('acme/able', [shared], { supportedParameters: new Set(['temperature']) }).endpoints;
  assert.ok(own && flexible && other);
  gateway = await startGateway({
    models: [
      modelOf('acme/atlas-4', [provider]),
      { ...modelOf('acme/able', []), endpoints: [own, flexible, other] },
    ],
  });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

test('what nobody can be served by makes no other endpoint needless', async () => {
  const asked = upstream.requests.length;
  const tools = [{ type: 'function', name: 'f' }];
  for (const wish of [{ tools }, { service_tier: 'flex' }]) {
    const answer = await gateway.post({ model: 'acme/able', input: 'Hello', ...wish });
    assert.equal(answer.status, 200, await answer.text());
  }
  assert.equal(upstream.requests.length, asked + 2);
});

test('a provider without a credential of the operator serves who brings one, and nobody else', async () => {
  const asked = upstream.requests.length;
  const body = { model: 'acme/atlas-4', input: 'Hello' };
  const before = await gateway.post(body);
  assert.equal(before.status, 503, await before.text());
  assert.equal(upstream.requests.length, asked);

  const management = await gateway.createKey({ kind: 'management', workspaceId: null });
  const created = await fetch(`${gateway.url}/api/v1/byok`, {
    method: 'POST',
    headers: { authorization: `Bearer ${management}`, 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'deepinfra', key: 'sk-brought-by-the-account' }),
  });
  assert.equal(created.status, 200, await created.text());

  const answer = await gateway.post(body);
  const response = (await answer.json()) as { usage: { is_byok: boolean; cost: number } };
  assert.equal(answer.status, 200, JSON.stringify(response));
  assert.deepEqual([response.usage.is_byok, response.usage.cost], [true, 0]);
  assert.equal(upstream.requests[asked]?.headers.authorization, 'Bearer sk-brought-by-the-account');
});
