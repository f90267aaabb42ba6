import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseUsd, zeroUsd } from '../../src/core/money.ts';
import type { Generation } from '../../src/ports/generations.ts';
import type { ServerTool } from '../../src/server-tools/server-tool.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import type { WireEvent } from '../stream-checker.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { type GatewayOptions, startGateway } from '../support/gateway.ts';
import { asks, callStream, opinionOffer, secondOpinion, smallModel } from './second-opinion.ts';

const opinion: Script = { steps: chatStream('Ask', ' again.') };
const answer: Script = { steps: chatStream('It', ' says:', ' ask', ' again.') };

/** What 20 and 5, 9 and 2, and 9 and 4 tokens cost, at 3 and 15 USD per million. */
const costs = { calling: 135_000n, opinion: 57_000n, answering: 87_000n };

/** A gateway with the tool before a big model, whose turns are these scripts, and a small one. */
async function start(big: readonly Script[], small: Script = opinion, options: Partial<GatewayOptions> = {}) {
  const [first, second] = [await startFakeUpstream(...big), await startFakeUpstream(small)];
  const north = providerOf({ slug: 'north', baseUrl: `${first.url}/v1` });
  const south = providerOf({ slug: 'south', baseUrl: `${second.url}/v1` });
  const gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [north]), modelOf(smallModel, [south])],
    parts: { tools: [secondOpinion] },
    ...options,
  });
  return {
    gateway,
    big: first,
    small: second,
    ask: (body: object = {}, headers: Record<string, string> = {}) =>
      gateway.post({ model: 'acme/atlas-4', input: 'Shall I?', ...body }, headers),
    /** Asks for a stream, until the client leaves. */
    askUntil: (signal: AbortSignal) =>
      fetch(`${gateway.url}/api/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'acme/atlas-4', input: 'Shall I?', stream: true }),
        signal,
      }),
    /** The records of the request that was answered. */
    async records(response: Response): Promise<readonly Generation[]> {
      const id = response.headers.get('x-generation-id') ?? '';
      const { generations } = gateway.storage;
      const found = await generations.find(id);
      return found === undefined ? [] : [found, ...(await generations.ofRequest(id))];
    },
    async [Symbol.asyncDispose]() {
      assert.deepEqual(await gateway.storage.ledger.verify(), []);
      await gateway.stop();
      await first.close();
      await second.close();
    },
  };
}

/** What a provider was sent, by the place of the request. */
function bodyOf({ requests }: FakeUpstream, place: number) {
  const request = requests[place];
  assert.ok(request);
  return request.body as { tool_choice: string; messages: { role: string; content: string }[] };
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers, each checked by its test.
const read = async (response: Response): Promise<any> => response.json();

test('a tool asks another model between two turns: linked records, usage and cost of the request are sums', async () => {
  await using world = await start([{ steps: callStream(asks('Well?')) }, answer]);
  const response = await world.ask({}, { 'x-service-metadata': 'enabled' });
  const body = await read(response);
  assert.equal(body.status, 'completed');
  assert.deepEqual(
    body.output.map(({ type }: { type: string }) => type),
    ['message', 'service:second_opinion', 'message'],
  );
  const { id, ...item } = body.output[1];
  assert.match(id, /^st_/);
  assert.deepEqual(item, {
    question: 'Well?',
    opinion: 'Ask again.',
    model: smallModel,
    type: 'service:second_opinion',
    status: 'completed',
  });
  assert.equal(body.usage.cost, 0.000279);
  assert.deepEqual([body.usage.input_tokens, body.usage.output_tokens], [38, 11]);
  assert.deepEqual(body.usage.server_tool_use_details, {
    tool_calls_requested: 1,
    tool_calls_executed: 1,
    web_search_requests: 0,
  });
  assert.deepEqual(body.service_metadata.pipeline, [
    { type: 'server_tools', name: 'server-tools', data: { mode: 'sdk', tools: ['service:second_opinion'] } },
  ]);
  const records = await world.records(response);
  assert.deepEqual(
    records.map(({ model, cost }) => [model, cost]),
    [
      ['acme/atlas-4', costs.calling],
      [smallModel, costs.opinion],
      ['acme/atlas-4', costs.answering],
    ],
  );
  const { requestId } = records[0] ?? {};
  assert.ok(records.every((record) => record.requestId === requestId));
  const shown = await callApi(world.gateway, world.gateway.key, 'GET', `/generation?id=${requestId}`);
  assert.deepEqual(
    [shown.body.data.total_cost, shown.body.data.total.total_cost, shown.body.data.total.generations],
    [0.000135, 0.000279, 3],
  );
  assert.deepEqual(
    bodyOf(world.big, 1).messages.map(({ role }) => role),
    ['user', 'assistant', 'tool'],
  );
});

test('streamed it is one answer: one numbering, one beginning, one end', async () => {
  await using world = await start([{ steps: callStream(asks('Well?')) }, answer]);
  const response = await world.ask({ stream: true });
  const blocks = (await response.text()).split('\n\n').slice(0, -2);
  const events: WireEvent[] = blocks.map((block) => JSON.parse(block.split('\ndata: ')[1] ?? ''));
  assert.deepEqual(
    events.map(({ sequence_number }) => sequence_number),
    events.map((_, index) => index),
  );
  const terminal = events.at(-1)?.response as { usage: { cost: number }; output: { type: string }[] };
  assert.equal(terminal.usage.cost, 0.000279);
  assert.deepEqual(
    terminal.output.map(({ type }) => type),
    ['message', 'service:second_opinion', 'message'],
  );
  assert.equal(events.filter(({ type }) => type === 'response.created').length, 1);
  assert.ok(!JSON.stringify(events).includes('function_call'), 'the call of the tool is not shown');
  assert.equal((await world.records(response)).length, 3);
});

test('calls of both kinds end the turn: the tool ran, and the client gets its own call after it', async () => {
  await using world = await start([{ steps: callStream(asks('Well?'), ['weather', '{}']) }, answer]);
  const body = await read(await world.ask({ tools: [{ type: 'function', name: 'weather' }] }));
  assert.deepEqual(
    body.output.map(({ type }: { type: string }) => type),
    ['message', 'service:second_opinion', 'function_call'],
  );
  assert.equal(world.big.requests.length, 1);
});

test('bad arguments and a failing model are results the model reads', async () => {
  const calling = { steps: callStream(['service_second_opinion', '{"question":'], asks('Well?')) };
  const broken = { status: 500, whole: '{}' };
  await using world = await start([calling, answer], broken);
  const body = await read(await world.ask());
  assert.equal(body.status, 'completed');
  assert.equal(body.output[1].error, 'The arguments are not a JSON object.');
  const { messages } = bodyOf(world.big, 1);
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.parse(content));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['error', 'error'],
  );
});

test('a model that always calls has as many steps as the request allows, then one turn without', async () => {
  await using world = await start([{ steps: callStream(asks('Well?')) }]);
  const body = await read(await world.ask({ max_tool_calls: 2 }));
  assert.equal(body.status, 'completed');
  assert.equal(world.big.requests.length, 3);
  assert.equal(bodyOf(world.big, 2).tool_choice, 'none');
  assert.deepEqual(body.usage.server_tool_use_details.tool_calls_executed, 2);
});

test('the limit of the key holds for every turn', async () => {
  await using world = await start([{ steps: callStream(asks('Well?')) }, answer]);
  // The first turn uses it up: the tool gets a refusal, and the next turn is none.
  const key = await world.gateway.createKey({ limit: parseUsd(0.0001), limitReset: 'daily' });
  const response = await world.ask({}, { authorization: `Bearer ${key}` });
  const body = await read(response);
  assert.deepEqual([body.status, body.error.metadata.limit_source], ['failed', 'service_key_limit']);
  assert.match(body.output[1].error, /limit/);
  assert.deepEqual([world.big.requests.length, world.small.requests.length], [1, 0]);
  assert.equal(body.usage.cost, 0.000135, 'what was used is charged');
  assert.equal((await world.records(response)).length, 1);
});

test('a balance that is used up in between ends the answer', async () => {
  // It was longer than anybody could foresee: 2,000 tokens cost three times the balance.
  const costly = callStream(asks('Well?')).map((event) =>
    event.replace('"prompt_tokens":20', '"prompt_tokens":2000'),
  );
  await using world = await start([{ steps: costly }, answer], opinion, {
    billingMode: 'prepaid',
  });
  const { gateway } = world;
  await gateway.storage.ledger.append({
    id: 'le_1',
    accountId: gateway.account.id,
    type: 'grant',
    amount: parseUsd(0.002),
    fee: zeroUsd,
    countsAsPurchase: false,
    expiresAt: null,
    externalRef: null,
    relatedId: null,
    note: null,
    createdBy: null,
    createdAt: Date.now(),
  });
  const body = await read(await world.ask({ max_output_tokens: 1 }));
  assert.deepEqual([body.status, body.error.metadata.limit_source], ['failed', 'service_credits']);
  assert.equal(world.small.requests.length, 0);
});

test('a client that leaves aborts the inner turn, and pays for what was done', async () => {
  const hanging: Script = { steps: [...(opinion.steps?.slice(0, 2) ?? [])], ending: 'hang' };
  await using world = await start([{ steps: callStream(asks('Well?')) }, answer], hanging);
  const leave = new AbortController();
  const response = await world.askUntil(leave.signal);
  await eventually('the inner call', () => world.small.requests.length === 1);
  leave.abort();
  await world.small.closedConnections(1);
  await eventually('its record', async () => (await world.records(response)).length === 2);
  const [outer, inner] = await world.records(response);
  assert.equal(outer?.cost, costs.calling);
  assert.deepEqual([inner?.model, inner?.cancelled], [smallModel, true]);
  assert.equal(world.big.requests.length, 1);
});

test('a client that leaves while a tool works gets no further turn', async () => {
  const { promise: working, resolve: works } = Promise.withResolvers<void>();
  const { promise: left, resolve: leaves } = Promise.withResolvers<void>();
  const slow: ServerTool = {
    ...secondOpinion,
    offer: () => [
      {
        ...opinionOffer,
        async run(_input, { signal }) {
          signal.addEventListener('abort', () => leaves());
          works();
          await left;
          return { output: 'Late.', fields: {} };
        },
      },
    ],
  };
  await using world = await start([{ steps: callStream(asks('Well?')) }, answer], opinion, {
    parts: { tools: [slow] },
  });
  const leave = new AbortController();
  const response = await world.askUntil(leave.signal);
  await working;
  leave.abort();
  await left;
  await eventually('its record', async () => (await world.records(response)).length === 1);
  await sleep(50);
  assert.equal((await world.records(response)).length, 1);
  assert.equal(world.big.requests.length, 1);
});
