import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parsePricePerMillion, parseUsd, zeroUsd } from '../../src/core/money.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { defaultLimits } from '../support/limits.ts';
import { roomInWindow } from '../support/windows.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream({ steps: chatStream('Good ', 'day.') });
  const address = { baseUrl: `${upstream.url}/v1` };
  const north = providerOf({ slug: 'north', name: 'NorthGPU', ...address });
  const south = providerOf({ slug: 'south', name: 'SouthGPU', retainsPrompts: true, ...address });
  const atlas = modelOf('acme/atlas-4', [north, south], {
    contextLength: 100_000,
    maxCompletionTokens: 1000,
  });
  const [first] = atlas.endpoints;
  assert.ok(first);
  gateway = await startGateway({
    models: [
      {
        ...atlas,
        endpoints: [
          ...atlas.endpoints,
          { ...first, tag: 'north/priority', tier: 'priority' },
          { ...first, tag: 'north/off', status: 'disabled' },
          { ...first, tag: 'north/secret', status: 'hidden' },
        ],
      },
      modelOf('acme/atlas-4:free', [north]),
      modelOf('acme/dear', [north], {
        price: { prompt: parsePricePerMillion(300), completion: parsePricePerMillion(300) },
      }),
    ],
    billingMode: 'prepaid',
    config: { location: { region: 'lab-1' } },
  });
  await pay(5);
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

interface Plan {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a plan or a problem, each checked by its test.
  readonly body: any;
}

async function plan(body: unknown, headers: Record<string, string> = {}, at = gateway): Promise<Plan> {
  const response = await fetch(`${at.url}/api/v1/responses/plan`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${at.key}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

async function pay(amount: number): Promise<void> {
  await gateway.storage.ledger.append({
    id: `le_${amount}`,
    accountId: gateway.account.id,
    type: 'grant',
    amount: parseUsd(amount),
    fee: zeroUsd,
    expiresAt: null,
    relatedId: null,
    createdBy: null,
    countsAsPurchase: false,
    externalRef: null,
    note: null,
    createdAt: Date.now(),
  });
}

const reasonsOf = ({ body }: Plan): Record<string, string> =>
  Object.fromEntries(body.excluded.map((one: { tag: string; reason: string }) => [one.tag, one.reason]));

test('without credits the plan is shown, and what admission would answer', async () => {
  const [north] = [providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` })];
  const poor = await startGateway({ models: [modelOf('acme/atlas-4', [north])], billingMode: 'prepaid' });
  try {
    const asked = { model: 'acme/atlas-4', input: 'Hello', max_output_tokens: 100 };
    const { status, body } = await plan(asked, {}, poor);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.plan.length, body.verdict.admitted, body.verdict.error.code], [1, false, 402]);
    assert.equal(body.verdict.error.metadata.limit_source, 'service_credits');
    const real = await poor.post(asked);
    assert.deepEqual(((await real.json()) as { error: unknown }).error, body.verdict.error);
  } finally {
    await poor.stop();
  }
});

test('the verdict counts what may be in flight, and holds nothing itself', async () => {
  const asked = { model: 'acme/atlas-4', input: 'Hello', max_output_tokens: 1000 };
  for (let time = 0; time < 300; time += 1) {
    const { body } = await plan(asked);
    assert.equal(body.verdict.admitted, true, JSON.stringify(body.verdict));
  }
  const large = { ...asked, input: 'word '.repeat(90_000), max_output_tokens: 1000 };
  const dear = await plan({ ...large, model: 'acme/dear' });
  assert.equal(dear.body.verdict.error.metadata.reason, 'weight_exceeds_budget');
});

test('a plan has the order, prices, ceilings and reasons, and nothing happened', async () => {
  const asked = {
    model: 'acme/atlas-4',
    input: 'Hello',
    max_output_tokens: 100,
    provider: { zdr: true, order: ['north'] },
    top_k: 3,
  };
  const answer = await plan(asked);
  const { body } = answer;
  assert.equal(answer.status, 200);
  assert.deepEqual([body.object, body.region, body.refusal], ['route_plan', 'lab-1', null]);
  assert.deepEqual(body.models, [
    { requested: 'acme/atlas-4', id: 'acme/atlas-4', named_by: 'name', variant: null },
  ]);
  const [first] = body.plan;
  assert.equal(body.plan.length, 1);
  assert.equal(first.because, 'only');
  assert.deepEqual(
    [first.position, first.provider, first.tag, first.tier, first.credential, first.is_byok],
    [1, 'NorthGPU', 'north', 'default', 'shared', false],
  );
  assert.deepEqual(first.pricing, { prompt: '0.000003', completion: '0.000015' });
  const ceiling = (body.prompt_tokens * 3 + 100 * 15) / 1e6;
  assert.ok(Math.abs(first.list_cost_ceiling - ceiling) < 1e-12);
  assert.equal(body.cost_ceiling, first.list_cost_ceiling);
  assert.deepEqual(reasonsOf(answer), {
    south: 'data_policy:zdr',
    'north/priority': 'service_tier',
    'north/off': 'disabled',
  });
  assert.equal(upstream.requests.length, 0, 'no provider is called');
  assert.equal((await gateway.storage.generations.usage(0, 'model')).length, 0, 'nothing is recorded');
});

test('what would be altered for an endpoint is named', async () => {
  const { body } = await plan({
    model: 'acme/atlas-4',
    input: 'Hello',
    tools: [{ type: 'custom', name: 'shout', description: 'Shouts' }],
  });
  assert.deepEqual(
    body.plan[0].alterations.map(({ field, action }: Record<string, string>) => [field, action]),
    [['tools[0]', 'emulated']],
  );
  const strict = await plan(
    {
      model: 'acme/atlas-4',
      input: 'Hello',
      tools: [{ type: 'custom', name: 'shout', description: 'Shouts' }],
    },
    { 'x-service-strict': 'true' },
  );
  assert.equal(strict.body.refusal.code, 422);
  assert.deepEqual([reasonsOf(strict).north, reasonsOf(strict).south], ['strict', 'strict']);
});

test('a request that routing refuses is explained', async () => {
  const answer = await plan({
    model: 'acme/atlas-4',
    input: 'Hello',
    provider: { max_price: { prompt: 1 } },
  });
  assert.equal(answer.status, 200);
  assert.deepEqual([answer.body.plan, answer.body.cost_ceiling], [[], null]);
  assert.equal(answer.body.refusal.metadata.availability.code, 'constraint_filtered');
  assert.deepEqual(reasonsOf(answer), {
    north: 'max_price',
    south: 'max_price',
    'north/priority': 'service_tier',
    'north/off': 'disabled',
  });
});

test('free requests are looked at, not counted', async () => {
  for (let time = 0; time < 25; time += 1) {
    const { body } = await plan({ model: 'acme/atlas-4:free', input: 'Hello' });
    assert.equal(body.verdict.admitted, true, JSON.stringify(body.verdict));
  }
  const key = await (await gateway.get('/api/v1/key')).json();
  assert.equal(
    (key as { data: { free_model_daily_requests: { used: number } } }).data.free_model_daily_requests.used,
    0,
  );
});

test('the verdict knows that the minute is full of free requests', async (t) => {
  const limits = { ...defaultLimits, freeModels: { ...defaultLimits.freeModels, perMinute: 1 } };
  const provider = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const narrow = await startGateway({
    models: [modelOf('acme/atlas-4:free', [provider])],
    config: { limits },
  });
  t.after(() => narrow.stop());
  const asked = { model: 'acme/atlas-4:free', input: 'Hello' };
  await roomInWindow('minute', 5_000);
  assert.equal((await narrow.post(asked)).status, 200);
  const { body } = await plan(asked, {}, narrow);
  assert.deepEqual([body.verdict.error.code, body.plan.length], [429, 1]);
});

test('the same rules hold for body, key and model as for a request', async () => {
  const unknown = await plan({ model: 'acme/nothing', input: 'Hello' });
  assert.equal(unknown.status, 400);
  checkContract('BadRequestResponse', unknown.body);
  assert.equal(unknown.body.error.metadata.availability.code, 'model_not_found');
  assert.match(
    (await plan({ model: 'acme/atlas-4', input: 'x', temperature: 'hot' })).body.error.message,
    /^temperature/,
  );
  const managementKey = await gateway.createKey({ kind: 'management', workspaceId: null });
  const refused = await plan(
    { model: 'acme/atlas-4', input: 'x' },
    { authorization: `Bearer ${managementKey}` },
  );
  assert.equal(refused.status, 403);
  assert.equal((await plan({}, { authorization: '' })).status, 401);
});

test('files that the gateway would read stand in nobody’s way', async () => {
  const file = { type: 'input_file', file_url: 'https://sea.example/tides.pdf' };
  const asked = { model: 'acme/atlas-4', input: [{ role: 'user', content: [file] }] };
  const read = await plan(asked);
  assert.ok(read.body.plan.length > 0, JSON.stringify(read.body));
  const plugins = [{ id: 'file-parser', enabled: false }];
  const unread = await plan({ ...asked, plugins });
  assert.equal(unread.body.plan.length, 0);
});
