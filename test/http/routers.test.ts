import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { createRawKey } from '../../src/core/api-key.ts';
import type { Endpoint, Model } from '../../src/core/catalogue.ts';
import { parsePricePerMillion } from '../../src/core/money.ts';
import { usualRoutingRules } from '../../src/core/routing-rules.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { chatBody, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { checkPublished } from '../support/published-interface.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const json = { 'content-type': 'application/json' };
const good: Script = { headers: json, steps: [chatBody('Good day.')] };
const down: Script = { status: 503, headers: json, steps: ['{}'] };
const refused: Script = { status: 400, headers: json, steps: ['{"error":{"message":"no"}}'] };

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream(good);
  const north = providerOf({ slug: 'north', name: 'NorthGPU', baseUrl: `${upstream.url}/v1` });
  const priced = (usd: number): Partial<Endpoint> => ({
    price: { prompt: parsePricePerMillion(usd), completion: parsePricePerMillion(usd) },
  });
  const coder = (id: string, usd: number, codingPercentile: number): Model => ({
    ...modelOf(id, [north], priced(usd)),
    listing: { codingPercentile },
  });
  gateway = await startGateway({
    models: [
      coder('acme/code-best', 9, 99),
      coder('acme/code-good', 3, 92),
      coder('acme/code-fair', 1, 60),
      { ...modelOf('acme/cheap', [north], priced(0.5)), inputModalities: ['text'] },
      modelOf('acme/gift:free', [north], priced(0)),
      { ...modelOf('globex/blind:free', [north], priced(0)), inputModalities: ['text'] },
    ],
    config: {
      routing: {
        ...usualRoutingRules,
        auto: { defaultModels: [], priors: { math: { 'acme/code-good': 1 } }, classifierTimeout: 300 },
        bodybuilder: { model: 'acme/cheap' },
      },
      compat: {
        aliases: ['word'],
        byokCreatedStatus: 200,
        unavailableTools: 'refuse',
        modelAliases: {},
        claudeIds: true,
        closeStreams: false,
        echoModel: false,
      },
    },
  });
});

beforeEach(() => upstream.play(good));

after(async () => {
  await gateway.stop();
  await upstream.close();
});

// biome-ignore lint/suspicious/noExplicitAny: answers and problems, each checked by its test.
type Body = any;

async function ask(body: object, key?: string): Promise<{ status: number; body: Body; model: string }> {
  const headers = { 'x-service-metadata': 'enabled', ...(key && { authorization: `Bearer ${key}` }) };
  const response = await gateway.post({ input: 'Solve the equation 2x + 3 = 7.', ...body }, headers);
  const answer: Body = await response.json();
  if (answer.service_metadata) checkContract('ServiceMetadata', answer.service_metadata);
  return { status: response.status, body: answer, model: answer.model };
}

const withAuto = (settings: object) => ({
  model: 'service/auto',
  plugins: [{ id: 'auto-router', ...settings }],
});

test('auto answers as the model it chose, and the metadata says which task and why', async () => {
  const { body, model } = await ask(withAuto({ cost_quality_tradeoff: 0 }));
  assert.equal(model, 'acme/code-good');
  const { requested, strategy, pipeline } = body.service_metadata;
  assert.deepEqual([requested, strategy], ['service/auto', 'auto']);
  assert.deepEqual([pipeline[0].type, pipeline[0].name], ['plugin', 'auto-router']);
  const { task_type, classified_by, chosen_because, considered, candidates } = pipeline[0].data;
  assert.deepEqual(
    [task_type, classified_by, chosen_because, considered],
    ['math', 'rules', 'spend_share', 4],
  );
  assert.deepEqual(candidates[0], { model: 'acme/code-good', spend_share: 1, cost_percentile: 66.6667 });
});

test('without a cost setting the cheapest fifth is chosen from; bands bound on both sides', async () => {
  assert.equal((await ask({ model: 'service/auto' })).model, 'acme/cheap');
  assert.equal((await ask(withAuto({ cost_tier: 'max' }))).model, 'acme/code-best');
  assert.equal((await ask({ model: 'word/auto' })).model, 'acme/cheap');
  assert.equal((await ask({ model: 'SERVICE/Auto-Beta:nitro' })).model, 'acme/cheap');
});

test('a chosen model fails over to the next one; an outage of all is an error', async () => {
  upstream.play(down, good);
  const { body, model } = await ask(withAuto({ cost_quality_tradeoff: 0 }));
  assert.notEqual(model, 'acme/code-good');
  assert.deepEqual([body.service_metadata.strategy, body.service_metadata.attempt], ['auto', 2]);
  upstream.play(down);
  const failed = await ask({ model: 'service/auto', models: ['acme/code-best'] });
  assert.equal(failed.status, 503);
});

test('needs and lists narrow the candidates; nothing left is 404, and a further model still serves', async () => {
  const image = [
    { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }] },
  ];
  assert.equal((await ask({ model: 'service/auto', input: image })).model, 'acme/code-fair');
  assert.equal((await ask(withAuto({ allowed_models: ['*/code-b*'] }))).model, 'acme/code-best');
  const none = withAuto({ allowed_models: ['acme/*'], excluded_models: ['*'] });
  const empty = await ask(none);
  assert.equal(empty.status, 404);
  checkContract('NotFoundResponse', empty.body);
  assert.equal(empty.body.error.metadata.availability.code, 'no_endpoints');
  assert.match(empty.body.error.message, /allowed_models, excluded_models/);
  assert.equal(empty.body.service_metadata.strategy, 'auto');
  const saved = await ask({ ...none, models: ['acme/code-best'] });
  assert.deepEqual([saved.model, saved.body.service_metadata.strategy], ['acme/code-best', 'fallback']);
  const cheap = await ask({ model: 'service/auto', provider: { max_price: { prompt: 0.1 } } });
  assert.equal(cheap.status, 404);
});

test('a pinned model goes first, and a conversation stays with its model', async () => {
  const input = [
    { role: 'user', content: 'Hi' },
    { type: 'message', role: 'assistant', content: 'Yes?', model: 'acme/code-best' },
    { role: 'user', content: 'Solve the equation 2x + 3 = 7.' },
  ];
  const pinned = await ask({ ...withAuto({ pin_model: true }), input });
  assert.deepEqual(
    [pinned.model, pinned.body.service_metadata.pipeline[0].data.chosen_because],
    ['acme/code-best', 'pinned'],
  );
  const session = { session_id: 'one' };
  const all = withAuto({ cost_quality_tradeoff: 0 });
  upstream.play(down, good);
  const first = await ask({ ...all, ...session });
  const second = await ask({ ...all, ...session });
  assert.deepEqual(
    [second.model, second.body.service_metadata.pipeline[0].data.chosen_because],
    [first.model, 'sticky'],
  );
  assert.equal((await ask({ ...all, session_id: 'two' })).model, 'acme/code-good');
});

test('free chooses among free variants that can serve', async () => {
  const image = [
    { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }] },
  ];
  const { model, body } = await ask({ model: 'service/free', input: image });
  assert.deepEqual([model, body.service_metadata.strategy, body.usage.cost], ['acme/gift:free', 'free', 0]);
});

test('pareto-code chooses by tier and under a price, and falls back only after transient failures', async () => {
  const pareto = (settings: object) => ({
    model: 'service/pareto-code',
    plugins: [{ id: 'pareto-router', ...settings }],
  });
  assert.equal((await ask({ model: 'service/pareto-code' })).model, 'acme/code-good');
  assert.equal((await ask(pareto({ min_coding_score: 0.1 }))).model, 'acme/code-fair');
  assert.equal((await ask(pareto({ max_price: 100 }))).model, 'acme/code-best');
  assert.equal((await ask(pareto({ max_price: 2 }))).model, 'acme/code-fair');
  const none = await ask(pareto({ max_price: 0.9 }));
  assert.deepEqual([none.status, none.body.error.metadata.availability.code], [404, 'no_endpoints']);
  upstream.play(down, good);
  assert.equal((await ask({ model: 'service/pareto-code' })).model, 'acme/code-best');
  upstream.play(refused, good);
  assert.equal((await ask({ model: 'service/pareto-code' })).status, 400);
  upstream.play(refused, good);
  assert.equal((await ask({ model: 'service/pareto-code', models: ['acme/cheap'] })).model, 'acme/cheap');
});

test('bodybuilder gives its model instructions and asks for JSON', async () => {
  upstream.play({ headers: json, steps: [chatBody('{"requests":[]}')] });
  const { body } = await ask({ model: 'service/bodybuilder', input: 'Ask two models for a joke.' });
  assert.deepEqual([body.model, body.service_metadata.strategy], ['acme/cheap', 'bodybuilder']);
  const sent: Body = upstream.requests.at(-1)?.body;
  assert.match(JSON.stringify(sent), /acme\/code-best/);
  assert.equal(sent.response_format?.type, 'json_schema');
});

test('routers that are not set up are 404, unknown ones 400', async () => {
  for (const model of ['service/fusion', 'service/fusion-flash']) {
    const { status, body } = await ask({ model });
    assert.deepEqual([status, body.error.metadata.availability.code], [404, 'no_endpoints']);
  }
  assert.equal((await ask({ model: 'service/nothing' })).status, 400);
  assert.equal((await ask({ model: 'service/auto:nitro:floor' })).status, 400);
  const bad = await ask(withAuto({ cost_tier: 'huge' }));
  assert.equal(bad.status, 400);
});

test('a key with a list of models gets none but those from a router', async () => {
  const key = await gateway.createKey({ allowedModels: ['acme/code-fair'] });
  assert.equal((await ask(withAuto({ cost_tier: 'max' }), key)).model, 'acme/code-fair');
  const other = await gateway.createKey({ allowedModels: ['globex/*'] });
  assert.equal((await ask({ model: 'service/auto' }, other)).status, 404);
});

test('routers that work are listed without a price, found by path, and explained', async () => {
  const list: Body = await (await gateway.get('/api/v1/models')).json();
  checkContract('ModelsListResponse', list);
  const rows = list.data.filter(({ id }: { id: string }) => id.startsWith('service/'));
  assert.deepEqual(
    rows.map(({ id, pricing }: Body) => [id, pricing.prompt, pricing.completion]),
    ['auto', 'auto-beta', 'free', 'pareto-code', 'bodybuilder'].map((name) => [
      `service/${name}`,
      '-1',
      '-1',
    ]),
  );
  assert.equal((await gateway.get('/api/v1/models/service/auto')).status, 200);
  assert.equal((await gateway.get('/api/v1/models/service/fusion')).status, 404);
  const before = upstream.requests.length;
  const explained = await fetch(`${gateway.url}/api/v1/responses/plan`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify({
      ...withAuto({ cost_quality_tradeoff: 0 }),
      input: 'Solve the equation 2x + 3 = 7.',
    }),
  });
  const plan: Body = await explained.json();
  assert.deepEqual([plan.routers[0].slug, plan.routers[0].data.task_type], ['service/auto', 'math']);
  assert.deepEqual([plan.models[0].id, plan.models[0].named_by], ['acme/code-good', 'router']);
  assert.equal(upstream.requests.length, before);
});

test('a router streams, and serves the other public dialects', async () => {
  upstream.play({ steps: chatStream('Good ', 'day.') });
  const streamed = await gateway.post({ model: 'service/auto', input: 'Hi', stream: true });
  assert.match(await streamed.text(), /"model":"acme\/cheap"/);
  upstream.play(good);
  const chat = await fetch(`${gateway.url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify({ model: 'service/auto', messages: [{ role: 'user', content: 'Hi' }] }),
  });
  assert.equal(((await chat.json()) as Body).model, 'acme/cheap');
});

test('what auto spent on a task decides its choice from then on', async (t) => {
  const databaseUrl = `sqlite:${join(temporaryFolder(), 'headgate.db')}`;
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const models = ['acme/one', 'acme/two', 'acme/three'].map((id) => modelOf(id, [north]));
  const start = () => startGateway({ databaseUrl, models, config: { routing: usualRoutingRules } });
  const choose = async (at: TestGateway, settings: object = {}): Promise<Body> => {
    const plugins = [{ id: 'auto-router', cost_quality_tradeoff: 0, ...settings }];
    const body = { model: 'service/auto', input: 'Solve the equation 2x + 3 = 7.', plugins };
    return (await at.post(body, { 'x-service-metadata': 'enabled' })).json();
  };
  const first = await start();
  t.after(() => first.stop());
  const unlearned = (await choose(first)).model;
  const wanted = models.map(({ id }) => id).filter((id) => id !== unlearned && id !== 'acme/two')[0];
  for (let time = 0; time < 3; time += 1) await choose(first, { allowed_models: [wanted] });
  const learned = (await first.storage.routerTraffic.read(0)).find(({ model }) => model === wanted);
  assert.deepEqual([learned?.router, learned?.task, learned?.generations], ['service/auto', 'math', 3]);
  const second = await start();
  t.after(() => second.stop());
  const answer = await second.post({
    model: 'service/auto',
    input: 'Solve the equation 2x + 3 = 7.',
    plugins: [{ id: 'auto-router', cost_quality_tradeoff: 0 }],
  });
  assert.equal(((await answer.json()) as Body).model, wanted);
  const id = answer.headers.get('x-generation-id');
  const record = (await (await second.get(`/api/v1/generation?id=${id}`)).json()) as Body;
  assert.equal(record.data.router, 'service/auto');
});

test('routers are listed with their candidates and what they chose for the own account alone', async (t) => {
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const own = await startGateway({ models: ['acme/one', 'acme/two'].map((id) => modelOf(id, [north])) });
  t.after(() => own.stop());
  const account = newAccount('Foreign', 'prepaid', Date.now() + 1);
  await own.storage.accounts.create(account);
  const foreign = createRawKey();
  const facts = { accountId: account.id, createdAt: Date.now(), workspaceId: null };
  await own.storage.keys.create(newKey(foreign, { ...facts, kind: 'management', name: 'boss' }));
  for (let time = 0; time < 2; time += 1) {
    const answer = await own.post({ model: 'service/auto', input: 'Solve the equation 2x + 3 = 7.' });
    assert.equal(answer.status, 200);
  }
  const read = async (key: string) => {
    const response = await fetch(`${own.url}/api/v1/routers`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return { status: response.status, body: (await response.json()) as Body };
  };
  const management = await own.createKey({ kind: 'management', workspaceId: null });
  const { body } = await read(management);
  checkPublished('RouterList', body);
  const auto = body.data.find(({ id }: Body) => id === 'service/auto');
  const [chosen] = await own.storage.routerTraffic.read(0);
  assert.deepEqual([auto.candidates, auto.generations], [['acme/one', 'acme/two'], 2]);
  assert.equal(auto.cost_nano, String(chosen?.cost));
  assert.deepEqual(auto.models, [{ name: chosen?.model, generations: 2, cost_nano: auto.cost_nano }]);
  assert.deepEqual(auto.tasks, [{ name: 'math', generations: 2, cost_nano: auto.cost_nano }]);
  const other = (await read(foreign)).body.data.find(({ id }: Body) => id === 'service/auto');
  // Midnight may lie between the two.
  const used = auto.days.filter(({ generations }: Body) => generations > 0);
  const inAll = (name: string) => used.reduce((sum: number, one: Body) => sum + one[name], 0);
  assert.deepEqual([auto.days.length, inAll('generations'), inAll('fallbacks')], [7, 2, auto.fallbacks]);
  assert.deepEqual([auto.fallbacks, used.at(-1).models[0].name], [0, chosen?.model]);
  assert.ok(auto.days.at(-1).day >= used.at(-1).day && /^\d{4}-\d\d-\d\d$/.test(used.at(-1).day));
  assert.deepEqual([other.generations, other.models, other.tasks, other.days], [0, [], [], []]);
  assert.equal((await read(own.key)).status, 403);
});
