import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { usualRoutingRules } from '../../src/core/routing-rules.ts';
import { chatBody, chatChunk, chatStream, dataEvent } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream();
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const names = ['atlas', 'other', 'young', 'shaky', 'limited', 'broken'];
  const models = names.map((name) => modelOf(`acme/${name}`, [north]));
  const health = { ...usualRoutingRules.health, uptimeRequests: 21 };
  gateway = await startGateway({ models, config: { routing: { ...usualRoutingRules, health } } });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

async function ask(script: Script, body: object, times: number): Promise<void> {
  upstream.play(script);
  for (let time = 0; time < times; time += 1) {
    const response = await gateway.post({ input: 'Hi', stream: true, ...body });
    await response.text();
  }
}

async function figuresOf(model: string): Promise<Record<string, unknown>> {
  const response = await gateway.get(`/api/v1/models/${model}/endpoints`);
  const { data } = (await response.json()) as { data: { endpoints: Record<string, unknown>[] } };
  return data.endpoints[0] ?? assert.fail('no endpoint');
}

test('what requests met is what the lists tell', async () => {
  const model = 'acme/atlas';
  await ask({ steps: [20, ...chatStream('Good ', 'day.')] }, { model }, 20);
  await ask({ status: 500, headers: {} }, { model }, 5);
  await ask({ status: 429, headers: {} }, { model }, 3);
  await ask({ status: 400, headers: {} }, { model }, 3);
  const figures = await figuresOf(model);
  assert.equal(figures.uptime_last_5m, 80, '20 of 25: neither 429 nor 400 counts');
  const latency = figures.latency_last_30m as { p50: number; p99: number };
  assert.ok(latency.p50 >= 19 && latency.p50 <= latency.p99, `${latency.p50} ms`);
  const throughput = figures.throughput_last_30m as { p50: number; p99: number };
  assert.ok(throughput.p50 > 0 && throughput.p50 < 101, '2 tokens in at least 20 ms');
  assert.ok(throughput.p99 <= throughput.p50);
});

test('unstreamed answers tell no speed', async () => {
  const model = 'acme/other';
  const script = { steps: chatStream('Good ', 'day.'), whole: chatBody('Good ', 'day.') };
  await ask(script, { model, stream: false }, 20);
  const { uptime_last_5m, latency_last_30m, throughput_last_30m } = await figuresOf(model);
  // The other model has an endpoint of its own name at the provider.
  assert.deepEqual([uptime_last_5m, latency_last_30m, throughput_last_30m], [100, null, null]);
});

test('the status is what routing goes by', async () => {
  const good: Script = { steps: chatStream('Good ', 'day.') };
  const failed: Script = { status: 500, headers: {} };
  const statusOf = async (model: string) => (await figuresOf(model)).status;
  const model = 'acme/young';
  await ask(good, { model }, 18);
  await ask(failed, { model }, 2);
  assert.deepEqual([(await figuresOf(model)).uptime_last_30m, await statusOf(model)], [90, 0], 'too few');
  await ask(good, { model: 'acme/shaky' }, 19);
  await ask(failed, { model: 'acme/shaky' }, 2);
  assert.equal(await statusOf('acme/shaky'), -1);
  await ask({ status: 429, headers: { 'retry-after': '50' } }, { model: 'acme/limited' }, 1);
  assert.equal(await statusOf('acme/limited'), -3);
  await ask(failed, { model: 'acme/broken' }, 2);
  assert.equal(await statusOf('acme/broken'), -2);
});

test('calls that do not fit the caller’s schema lower the rate of valid ones', async () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const body = { model: 'acme/other', tools: [{ type: 'function', name: 'weather', parameters }] };
  const calls = (text: string): Script => ({
    steps: [
      chatChunk({
        tool_calls: [
          { index: 0, id: 'c1', type: 'function', function: { name: 'weather', arguments: text } },
        ],
      }),
      chatChunk({}, 'tool_calls'),
      dataEvent('[DONE]').replaceAll('"', ''),
    ],
  });
  await ask(calls('{"city":"Oslo"}'), body, 3);
  await ask(calls('{"town":"Oslo"}'), body, 1);
  const listed = async (least: number) => {
    const response = await gateway.get(`/api/v1/models?min_tool_success_rate=${least}`);
    const { data } = (await response.json()) as { data: { id: string }[] };
    return data.map(({ id }) => id);
  };
  // The judging happens beside the requests.
  const bothListed = async () => [await listed(0.74), await listed(0.76)];
  const expected = [['acme/other'], []];
  let seen = await bothListed();
  for (let tries = 0; tries < 500 && !isDeepStrictEqual(seen, expected); tries += 1) {
    await sleep(20);
    seen = await bothListed();
  }
  assert.deepEqual(seen, expected);
});
