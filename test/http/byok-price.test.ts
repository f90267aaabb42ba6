import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { parseUsd } from '../../src/core/money.ts';
import { Secret } from '../../src/util/secret.ts';
import { chatBody, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { type ApiAnswer, callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { type GatewayOptions, startGateway, type TestGateway } from '../support/gateway.ts';
import { roomInWindow } from '../support/windows.ts';

const sharedKey = 'sk-of-the-operator-0123456789';
const ownKey = 'sk-of-the-account-0123456789';
/** What 9 input and 2 output tokens cost at 3 and 15 USD per million. */
const list = 0.000057;

/** A gateway whose one provider serves a paid and a free model, with an own credential of its account. */
async function begin(change: Partial<GatewayOptions> = {}): Promise<{
  upstream: FakeUpstream;
  gateway: TestGateway;
  call: Call;
  [Symbol.asyncDispose](): Promise<void>;
}> {
  const upstream = await startFakeUpstream({
    steps: chatStream('Good ', 'day.'),
    whole: chatBody('Good ', 'day.'),
  });
  const provider = providerOf({
    slug: 'deepinfra',
    name: 'DeepInfra',
    baseUrl: `${upstream.url}/v1`,
    apiKey: new Secret(sharedKey),
  });
  const models = [modelOf('acme/atlas-4', [provider]), modelOf('acme/atlas-4:free', [provider])];
  const gateway = await startGateway({ models, billingMode: 'prepaid', ...change });
  const managementKey = await gateway.createKey({ kind: 'management', workspaceId: null });
  const call: Call = (method, path, body, key = managementKey) => callApi(gateway, key, method, path, body);
  return {
    upstream,
    gateway,
    call,
    [Symbol.asyncDispose]: async () => {
      await gateway.stop();
      await upstream.close();
    },
  };
}

type Call = (method: string, path: string, body?: unknown, key?: string) => Promise<ApiAnswer>;

const ask = { model: 'acme/atlas-4', input: 'Hi' };

// What is used is counted by the day and the month.
beforeEach(() => roomInWindow('day', 30_000));

test('an own credential serves without credits; beyond the allowance the fee is due and nothing else', async () => {
  const allowance = parseUsd('0.0001');
  const byok = { feeRate: 0.05, monthlyAllowance: allowance, enterpriseMonthlyAllowance: allowance };
  await using one = await begin({ config: { byok } });
  const { gateway, upstream, call } = one;
  assert.equal((await call('POST', '/responses', ask, gateway.key)).status, 402, 'no credits');
  const made = await call('POST', '/byok', { provider: 'deepinfra', key: ownKey, is_required: true });
  assert.equal(made.status, 200);
  const fees = [0, 0.0000007, 0.00000285];
  const ids: string[] = [];
  await gateway.storage.ledger.append({
    id: 'le_1',
    accountId: gateway.account.id,
    type: 'grant',
    amount: parseUsd('0.001'),
    fee: parseUsd(0),
    countsAsPurchase: false,
    expiresAt: null,
    externalRef: null,
    relatedId: null,
    note: null,
    createdBy: null,
    createdAt: Date.now(),
  });
  for (const [index, fee] of fees.entries()) {
    const answer = await call('POST', '/responses', { ...ask, stream: false }, gateway.key);
    assert.equal(answer.status, 200);
    const { usage } = answer.body;
    assert.deepEqual([usage.cost, usage.is_byok], [fee, true], `call ${index}`);
    assert.equal(usage.cost_details.upstream_inference_cost, list);
    assert.ok(upstream.requests.at(-1)?.headers.authorization?.endsWith(ownKey));
    const { data } = (await call('GET', '/activity')).body;
    assert.deepEqual(data, [], 'today is not over');
    ids.push(gateway.log.map((line) => JSON.parse(line)).findLast(({ msg }) => msg === 'served')?.id);
  }
  const sum = 0.00000355;
  const record = (await call('GET', `/generation?id=${ids.at(-1)}`)).body.data;
  checkContract('GenerationResponse/properties/data', record);
  assert.deepEqual(
    [record.is_byok, record.usage, record.total_cost, record.upstream_inference_cost],
    [true, fees.at(-1), fees.at(-1), list],
  );
  assert.equal(record.provider_responses[0].is_byok, true);
  const key = (await call('GET', '/key', undefined, gateway.key)).body.data;
  assert.deepEqual([key.usage, key.usage_monthly], [sum, sum]);
  assert.deepEqual([key.byok_usage, key.byok_usage_daily], [3 * list, 3 * list]);
  assert.equal((await call('GET', '/credits')).body.data.total_usage, sum);
  const balance = await gateway.storage.ledger.balance(gateway.account.id);
  assert.equal(balance.spentTotal, parseUsd('0.00000355'));
  assert.deepEqual(await gateway.storage.ledger.verify(), []);
});

test('a streamed answer tells the same, and a shared endpoint after it its own price', async () => {
  await using one = await begin({ billingMode: 'invoice' });
  const { gateway, upstream, call } = one;
  const made = await call('POST', '/byok', { provider: 'deepinfra', key: ownKey });
  const usageOf = async () => {
    const text = await (await gateway.post({ ...ask, stream: true })).text();
    const last = text.split('\n').findLast((line) => line.startsWith('data: {')) ?? '';
    return JSON.parse(last.slice(6)).response.usage;
  };
  const own = await usageOf();
  assert.deepEqual([own.cost, own.is_byok, own.cost_details.upstream_inference_cost], [0, true, list]);
  upstream.play({ status: 401 }, { steps: chatStream('Good ', 'day.') });
  const shared = await usageOf();
  assert.deepEqual(
    [shared.cost, shared.is_byok, shared.cost_details.upstream_inference_cost],
    [list, false, null],
  );
  const used = upstream.requests.slice(-2).map(({ headers }) => headers.authorization);
  assert.deepEqual(used, [`Bearer ${ownKey}`, `Bearer ${sharedKey}`]);
  await call('PATCH', `/byok/${made.body.data.id}`, { disabled: true });
  assert.equal((await usageOf()).is_byok, false, 'at once');
});

test('own usage counts in the limit of a key only where that is wanted', async () => {
  await using one = await begin({ billingMode: 'invoice' });
  const { gateway, call } = one;
  await call('POST', '/byok', { provider: 'deepinfra', key: ownKey, is_byok_only: true });
  const cap = { limit: parseUsd('0.0001') };
  const counting = await gateway.createKey({ ...cap, includeByokInLimit: true });
  const apart = await gateway.createKey(cap);
  const statuses = async (key: string) => {
    const seen: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) seen.push((await call('POST', '/responses', ask, key)).status);
    return seen;
  };
  assert.deepEqual(await statuses(counting), [200, 200, 402, 402]);
  assert.deepEqual(await statuses(apart), [200, 200, 200, 200]);
  const key = (await call('GET', '/key', undefined, counting)).body.data;
  assert.deepEqual([key.limit_remaining, key.usage, key.byok_usage], [0, 0, 2 * list]);
  assert.equal((await call('GET', '/key', undefined, apart)).body.data.limit_remaining, 0.0001);
});

test('free variants that own credentials serve are not counted', async () => {
  await using one = await begin({ billingMode: 'invoice' });
  const { gateway, call } = one;
  const free = { model: 'acme/atlas-4:free', input: 'Hi' };
  const used = async () =>
    (await call('GET', '/key', undefined, gateway.key)).body.data.free_model_daily_requests.used;
  assert.equal((await call('POST', '/responses', free, gateway.key)).status, 200);
  assert.equal(await used(), 1);
  await call('POST', '/byok', { provider: 'deepinfra', key: ownKey, is_byok_only: true });
  assert.equal((await call('POST', '/responses', free, gateway.key)).status, 200);
  assert.equal(await used(), 1);
  assert.equal(await gateway.storage.generations.countFree(gateway.account.id, 0), 1, 'nor after a restart');
});
