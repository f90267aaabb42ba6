import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AccountPrivacy } from '../../src/ports/accounts.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let managementKey: string;

before(async () => {
  const baseUrl = 'http://127.0.0.1:1/v1';
  const north = providerOf({ slug: 'north', name: 'NorthGPU', trainsOnPrompts: true, baseUrl });
  const south = providerOf({ slug: 'south', name: 'SouthGPU', retainsPrompts: true, baseUrl });
  const atlas = modelOf('acme/atlas-4', [north, south]);
  const [first, second] = atlas.endpoints;
  assert(first && second);
  const quick = { ...second, prior: { ttftMs: 10, tps: 90 } };
  const endpoints = [{ ...first, prior: { ttftMs: 100, tps: 9 } }, quick];
  const models = [
    { ...atlas, endpoints },
    { ...modelOf('globex/ibis', [north, south]), endpoints },
    modelOf('acme/tiers', [south], { tag: 'south/priority', tier: 'priority' }),
  ];
  gateway = await startGateway({ models });
  managementKey = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(() => gateway.stop());

interface Explained {
  readonly models: readonly { readonly id: string }[];
  readonly plan: readonly { readonly provider_slug: string }[];
  readonly excluded: readonly { readonly provider_slug: string; readonly reason: string }[];
  readonly refusal: { readonly code: number; readonly metadata: { readonly availability: object } } | null;
}

/** Where a key's request would go; a new key is read from the books as they are. */
async function plan(body: object, key?: string): Promise<Explained> {
  const response = await fetch(`${gateway.url}/api/v1/responses/plan`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key ?? (await gateway.createKey())}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ input: 'Hello', ...body }),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text) as Explained;
}

async function presume(settings: object): Promise<void> {
  const response = await fetch(`${gateway.url}/api/v1/workspaces/default`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });
  assert.equal(response.status, 200, await response.text());
}

const order = ({ plan: targets }: Explained) => targets.map(({ provider_slug: slug }) => slug);

test('a workspace presumes how endpoints are sorted, from the next request on; the request has the last word', async () => {
  const atlas = { model: 'acme/atlas-4' };
  const key = await gateway.createKey();
  assert.deepEqual(order(await plan(atlas, key)), ['north', 'south'], 'a draw among equals');
  await presume({ default_provider_sort: 'latency' });
  assert.deepEqual(order(await plan(atlas, key)), ['south', 'north']);
  assert.deepEqual(order(await plan({ ...atlas, provider: { sort: 'price' } }, key)), ['north', 'south']);
  await presume({ default_provider_sort: null });
  assert.deepEqual(order(await plan(atlas, key)), ['north', 'south']);
});

test('a workspace presumes the model of a request that names none', async () => {
  const key = await gateway.createKey();
  const asked = () =>
    fetch(`${gateway.url}/api/v1/responses/plan`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'Hello' }),
    });
  assert.equal((await asked()).status, 400);
  await presume({ default_text_model: 'globex/ibis' });
  assert.deepEqual(
    (await plan({}, key)).models.map(({ id }) => id),
    ['globex/ibis'],
  );
  const named = await plan({ models: ['acme/atlas-4'] }, key);
  assert.deepEqual(
    named.models.map(({ id }) => id),
    ['acme/atlas-4'],
  );
  await presume({ default_text_model: null });
  assert.equal((await asked()).status, 400);
});

test('where an account lets its prompts go bounds every request of it', async () => {
  const cases: readonly (readonly [privacy: AccountPrivacy, slug: string, reason: string])[] = [
    [{ allowedProviders: ['south'] }, 'north', 'allowed_providers'],
    [{ allowedProviders: ['southgpu'] }, 'north', 'allowed_providers'],
    [{ ignoredProviders: ['south'] }, 'south', 'allowed_providers'],
    [{ forbidPaidTraining: true }, 'north', 'data_policy:training'],
    [{ zeroRetentionAuthors: ['acme'] }, 'south', 'data_policy:zdr'],
  ];
  for (const [privacy, slug, reason] of cases) {
    await gateway.storage.accounts.update(gateway.account.id, { privacy });
    const { plan: targets, excluded } = await plan({ model: 'acme/atlas-4' });
    assert.deepEqual(
      [targets.length, excluded.map((one) => [one.provider_slug, one.reason])],
      [1, [[slug, reason]]],
      JSON.stringify(privacy),
    );
  }
  assert.equal((await plan({ model: 'globex/ibis' })).plan.length, 2, 'another author');
  await gateway.storage.accounts.update(gateway.account.id, { privacy: { allowedProviders: ['south'] } });
  const { refusal } = await plan({ model: 'acme/atlas-4', provider: { only: ['north'] } });
  assert.equal(refusal?.code, 503);
  const tier = ({ plan: [first] }: Explained) => first?.provider_slug;
  for (const wish of [{ provider: { only: ['south/priority'] } }, { model: 'acme/tiers:nitro' }])
    assert.equal(tier(await plan({ model: 'acme/tiers', ...wish })), 'south', 'of any tier');
  await gateway.storage.accounts.update(gateway.account.id, { privacy: {} });
});
