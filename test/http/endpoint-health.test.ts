import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let upstream: FakeUpstream;
let broken: FakeUpstream;

before(async () => {
  upstream = await startFakeUpstream({ whole: chatBody('Good day.') });
  broken = await startFakeUpstream({ status: 503, headers: {}, steps: ['{}'] });
  const north = providerOf({ slug: 'north', name: 'NorthGPU', baseUrl: `${upstream.url}/v1` });
  const south = providerOf({ slug: 'south', name: 'SouthGPU', baseUrl: `${broken.url}/v1` });
  gateway = await startGateway({ models: [modelOf('acme/atlas', [north]), modelOf('acme/ibis', [south])] });
});

after(async () => {
  await gateway.stop();
  await Promise.all([upstream.close(), broken.close()]);
});

async function health(key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const response = await gateway.get('/api/v1/endpoints/health', headers);
  // biome-ignore lint/suspicious/noExplicitAny: each member is checked by its test.
  return { status: response.status, body: (await response.json()) as any };
}

test('a provider that fails is down since its first failures; operators see which', async () => {
  const operator = await gateway.createKey({ kind: 'management', workspaceId: null });
  const began = Date.now();
  for (const model of ['acme/atlas', 'acme/ibis', 'acme/ibis', 'acme/ibis']) {
    const sent = await gateway.post({ model, input: 'Hello' });
    await sent.text();
  }
  const { status, body } = await health(operator);
  assert.equal(status, 200);
  const [well, ill] = body.data;
  const { last_success_at: answered, ...rest } = well;
  assert.deepEqual(rest, {
    model_id: 'acme/atlas',
    model_name: 'acme/atlas',
    provider: 'north',
    provider_name: 'NorthGPU',
    tag: 'north',
    state: 'normal',
    since: null,
    until: null,
    attempts_30m: 1,
    failures_30m: 0,
    outcomes_30m: [],
    latency_samples_30m: 0,
    throughput_samples_30m: 0,
    retains_prompts: false,
    trains_on_prompts: false,
    publishes_prompts: false,
  });
  const ended = Date.parse(body.as_of);
  for (const time of [answered, ill.since])
    assert.ok(Date.parse(time) >= began - 1 && Date.parse(time) <= ended, time);
  assert.deepEqual(
    [ill.state, ill.until, ill.last_success_at, ill.attempts_30m, ill.failures_30m, ill.outcomes_30m],
    ['down', null, null, 3, 3, [{ outcome: 'overloaded', count: 3 }]],
  );
  const risks = await gateway.get('/api/v1/risks', { authorization: `Bearer ${operator}` });
  const { data: found } = (await risks.json()) as { data: readonly { about: string; text: string }[] };
  assert.deepEqual(
    found.filter(({ about }) => about === 'providers').map(({ text }) => text),
    [`SouthGPU is down since ${ill.since}: requests go to other providers, or fail`],
  );
  const again = (await health(operator)).body.data[1];
  assert.equal(again.since, ill.since);

  const seen = (await health(gateway.key)).body.data;
  assert.deepEqual(
    seen.map(({ state, outcomes_30m: kinds }: { state: string; outcomes_30m: unknown }) => [state, kinds]),
    [
      ['normal', null],
      ['down', null],
    ],
  );
  assert.equal((await health('sk-none')).status, 401);
});
