import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Catalogue } from '../../src/core/catalogue.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let north: FakeUpstream;
let south: FakeUpstream;
let gateway: TestGateway;
const good: Script = { steps: chatStream('Good ', 'day.') };
const overloaded: Script = { status: 529, headers: { 'content-type': 'application/json' }, steps: ['{}'] };
const limited: Script = { status: 429, headers: { 'content-type': 'application/json' }, steps: ['{}'] };
const broken: Script = { steps: chatStream('Good ', 'day.').slice(0, 2), ending: 'cut' };

before(async () => {
  north = await startFakeUpstream(good);
  south = await startFakeUpstream(good);
  const providers = [
    providerOf({ slug: 'north', name: 'NorthGPU', baseUrl: `${north.url}/v1`, refusedCountries: ['ZZ'] }),
    providerOf({ slug: 'south', name: 'SouthGPU', baseUrl: `${south.url}/v1` }),
  ];
  const atlas = { ...modelOf('acme/atlas-4', providers), family: 'atlas', created: 2 };
  const ibis = modelOf('globex/ibis', providers.slice(1));
  const models = [
    atlas,
    ibis,
    { ...modelOf('acme/atlas-2', providers), retired: { successor: 'acme/atlas-4' } },
  ];
  const catalogue: Catalogue = {
    models: new Map(models.map((model) => [model.id, model])),
    providers: new Map(providers.map((provider) => [provider.slug, provider])),
    aliases: new Map([['oldco/atlas', { kind: 'legacy', target: 'acme/atlas-4' }]]),
  };
  gateway = await startGateway({ models: [], config: { catalogue, location: { region: 'lab-1' } } });
});

after(async () => {
  await gateway.stop();
  await north.close();
  await south.close();
});

// biome-ignore lint/suspicious/noExplicitAny: metadata is checked against the contract, then by its test.
type Metadata = any;

const order = { order: ['north', 'south'] };

async function ask(body: object, header = 'enabled'): Promise<{ status: number; metadata: Metadata }> {
  const headers = { 'x-service-metadata': header };
  const response = await gateway.post(
    { model: 'acme/atlas-4', input: 'Hi', provider: order, ...body },
    headers,
  );
  const { service_metadata: metadata } = (await response.json()) as { service_metadata?: Metadata };
  if (metadata !== undefined) checkContract('ServiceMetadata', metadata);
  return { status: response.status, metadata };
}

async function stream(body: object): Promise<{ metadata: Metadata; type: string }> {
  const headers = { 'x-service-metadata': 'Enabled' };
  const asked = { model: 'acme/atlas-4', input: 'Hi', provider: order, stream: true, ...body };
  const text = await (await gateway.post(asked, headers)).text();
  const blocks = text.trim().split('\n\n');
  assert.equal(blocks.at(-1), 'data: [DONE]');
  const last = JSON.parse(blocks.at(-2)?.split('\ndata: ')[1] ?? '');
  checkContract('ServiceMetadata', last.response.service_metadata);
  return { metadata: last.response.service_metadata, type: last.type };
}

test('direct: everything about an answer, streamed and not', async () => {
  north.play(good);
  for (const metadata of [(await ask({})).metadata, (await stream({})).metadata]) {
    assert.ok(Number.isInteger(metadata.generation_time));
    assert.deepEqual(
      { ...metadata, generation_time: 0 },
      {
        requested: 'acme/atlas-4',
        strategy: 'direct',
        region: 'lab-1',
        summary: 'available=2, selected=NorthGPU',
        attempt: 1,
        is_byok: false,
        endpoints: {
          total: 2,
          available: [
            { provider: 'NorthGPU', model: 'acme/atlas-4', selected: true },
            { provider: 'SouthGPU', model: 'acme/atlas-4', selected: false },
          ],
        },
        params: { version_group: 'acme/atlas' },
        attempts: [{ provider: 'NorthGPU', model: 'acme/atlas-4', status: 200 }],
        generation_time: 0,
      },
    );
  }
});

test('only the word enabled turns it on', async () => {
  assert.equal((await ask({}, 'ENABLED')).metadata.attempt, 1);
  for (const word of ['disabled', 'true', '']) assert.equal((await ask({}, word)).metadata, undefined);
});

test('a former id says alias', async () => {
  const { metadata } = await ask({
    model: 'oldco/atlas',
    provider: { preferred_min_throughput: 40, ...order },
  });
  assert.deepEqual(
    [metadata.requested, metadata.strategy, metadata.params],
    ['oldco/atlas', 'alias', { version_group: 'acme/atlas', throughput_floor: 40 }],
  );
});

test('who answers for a retired model is a fallback, whatever its own name', async () => {
  for (const slug of ['globex/ibis', 'oldco/atlas']) {
    const { status, metadata } = await ask({ model: 'acme/atlas-2', models: [slug] });
    assert.deepEqual(
      [status, metadata.requested, metadata.strategy, metadata.attempt],
      [200, 'acme/atlas-2', 'fallback', 1],
    );
  }
});

test('another endpoint, and another model, took over', async () => {
  north.play(overloaded);
  const { metadata } = await ask({});
  assert.deepEqual([metadata.attempt, metadata.strategy], [2, 'direct']);
  assert.deepEqual(
    metadata.attempts.map(({ status }: { status: number }) => status),
    [529, 200],
  );
  south.play(overloaded, good);
  north.play(overloaded);
  const fallback = await ask({ models: ['globex/ibis'] });
  assert.deepEqual(
    [fallback.status, fallback.metadata.strategy, fallback.metadata.attempt],
    [200, 'fallback', 3],
  );
  south.play(good);
});

test('all failed: nothing selected, every attempt told', async () => {
  north.play(limited);
  south.play(limited);
  const { status, metadata } = await ask({});
  assert.equal(status, 429);
  assert.deepEqual([metadata.attempt, metadata.summary], [2, 'available=2, selected=none']);
  assert.ok(metadata.endpoints.available.every(({ selected }: { selected: boolean }) => !selected));
  north.play(good);
  south.play(good);
});

test('failed in the stream', async () => {
  north.play(broken);
  const { metadata, type } = await stream({});
  assert.equal(type, 'response.failed');
  assert.deepEqual([metadata.attempt, metadata.summary], [1, 'available=2, selected=none']);
  assert.ok(Number.isInteger(metadata.generation_time));
  north.play(good);
});

test('refused by the rules: the unfiltered endpoints; by a body or a key: nothing', async () => {
  const filtered = await ask({ provider: { only: ['nobody'] } });
  assert.equal(filtered.status, 503);
  assert.deepEqual([filtered.metadata.attempt, filtered.metadata.attempts], [0, undefined]);
  assert.deepEqual(filtered.metadata.endpoints, {
    total: 2,
    available: [
      { provider: 'NorthGPU', model: 'acme/atlas-4', selected: false },
      { provider: 'SouthGPU', model: 'acme/atlas-4', selected: false },
    ],
  });
  const unknown = await ask({ model: 'acme/nothing' });
  assert.deepEqual([unknown.status, unknown.metadata.requested], [400, 'acme/nothing']);
  const retired = await ask({ model: 'acme/atlas-2' });
  assert.deepEqual([retired.status, retired.metadata.endpoints], [404, { total: 0, available: [] }]);
  assert.equal((await ask({ input: 5 })).metadata, undefined);
});

test('an own credential says so, also when it fails and the shared one answers', async () => {
  const managementKey = await gateway.createKey({ kind: 'management', workspaceId: null });
  const created = await fetch(`${gateway.url}/api/v1/byok`, {
    method: 'POST',
    headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'south', key: 'sk-own-0123456789abcdef' }),
  });
  assert.ok(created.ok, await created.text());
  const key = await gateway.createKey();
  const headers = { authorization: `Bearer ${key}`, 'x-service-metadata': 'enabled' };
  const own = async () => {
    const response = await gateway.post({ model: 'acme/atlas-4', input: 'Hi' }, headers);
    const { service_metadata: metadata } = (await response.json()) as { service_metadata: Metadata };
    checkContract('ServiceMetadata', metadata);
    return metadata;
  };
  const paid = await own();
  assert.deepEqual([paid.is_byok, paid.attempt, paid.summary], [true, 1, 'available=3, selected=SouthGPU']);
  const selected = paid.endpoints.available.map((one: { selected: boolean }) => one.selected);
  assert.deepEqual(selected, [true, false, false]);
  south.play({ status: 401, headers: { 'content-type': 'application/json' }, steps: ['{}'] }, good);
  const shared = await own();
  assert.deepEqual([shared.is_byok, shared.attempt, shared.attempts[0].status], [false, 2, 502]);
  south.play(good);
});
