import assert from 'node:assert/strict';
import { join } from 'node:path';
import { beforeEach, type TestContext, test } from 'node:test';
import type { Endpoint, Price } from '../../src/core/catalogue.ts';
import { type NanoUsd, parsePricePerMillion, parseUsd } from '../../src/core/money.ts';
import { ledgerEntry } from '../conformance/fixtures.ts';
import { chatBody, chatStream } from '../fake-upstream/chat-stream.ts';
import { type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { type GatewayOptions, startGateway, type TestGateway } from '../support/gateway.ts';
import { startHoldingUpstream } from '../support/holding-upstream.ts';
import { defaultLimits } from '../support/limits.ts';
import { readStream } from '../support/read-stream.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { roomInWindow } from '../support/windows.ts';

const usd = parseUsd;
/** 4,000 tokens out may cost 0.06 USD. */
const outputOnly: Price = { prompt: parsePricePerMillion(0), completion: parsePricePerMillion(15) };
const dear: Price = { prompt: parsePricePerMillion(0), completion: parsePricePerMillion(25) };
const nothing: Price = { prompt: parsePricePerMillion(0), completion: parsePricePerMillion(0) };
const atlas = { model: 'acme/atlas-4', input: 'Hello', max_output_tokens: 4_000 };

// Limits are of days: no test begins where one ends.
beforeEach(() => roomInWindow('day', 30_000));

interface Problem {
  readonly error: { readonly message: string; readonly metadata: Record<string, unknown> };
}

async function start(t: TestContext, options: GatewayOptions): Promise<TestGateway> {
  const gateway = await startGateway(options);
  t.after(() => gateway.stop());
  return gateway;
}

/** A gateway whose providers each play one script; `acme/atlas-4` and `acme/atlas-4:free` are at all of them. */
async function withProviders(
  t: TestContext,
  scripts: readonly { readonly script: Script; readonly fields?: Partial<Endpoint> }[],
  options: Partial<GatewayOptions> = {},
) {
  const upstreams = await Promise.all(scripts.map(({ script }) => startFakeUpstream(script)));
  t.after(() => Promise.all(upstreams.map((upstream) => upstream.close())));
  const providers = upstreams.map((upstream, index) =>
    providerOf({ slug: `provider${index}`, baseUrl: `${upstream.url}/v1` }),
  );
  const modelAt = (id: string, price: Price) => {
    const model = modelOf(id, providers, { price });
    const endpoints = model.endpoints.map((endpoint, index) => ({ ...endpoint, ...scripts[index]?.fields }));
    return { ...model, endpoints };
  };
  const models = [modelAt('acme/atlas-4', outputOnly), modelAt('acme/atlas-4:free', nothing)];
  return { gateway: await start(t, { models, billingMode: 'prepaid', ...options }), upstreams };
}

function credit(gateway: TestGateway, amount: string | number, purchase = false): Promise<boolean> {
  const entry = ledgerEntry(gateway.account.id, { amount: usd(amount), countsAsPurchase: purchase });
  return gateway.storage.ledger.append(entry);
}

async function refusalOf(response: Response, status: number): Promise<Problem['error']['metadata']> {
  const problem = (await response.json()) as Problem;
  assert.equal(response.status, status, problem.error.message);
  checkContract(status === 402 ? 'PaymentRequiredResponse' : 'TooManyRequestsResponse', problem);
  return problem.error.metadata;
}

const good: Script = { steps: chatStream('Good ', 'day.'), whole: chatBody('Good ', 'day.') };

test('of 2,000 parallel requests on an account that can afford 40 exactly 40 reach the provider', async (t) => {
  const upstream = await startHoldingUpstream();
  t.after(() => upstream.close());
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const gateway = await start(t, {
    models: [modelOf('acme/atlas-4', [north], { price: outputOnly })],
    billingMode: 'prepaid',
  });
  await credit(gateway, '4.80');
  const other = `Bearer ${await gateway.createKey()}`;
  const statuses = new Map<number, number>();
  let answered = 0;
  const answers = Array.from({ length: 2_000 }, async (_, index) => {
    const response = await gateway.post(atlas, index % 2 === 0 ? {} : { authorization: other });
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    answered += 1;
    // The others wait at the provider.
    if (answered === 1_960) upstream.release();
    if (response.status === 402) {
      assert.equal(response.headers.get('retry-after'), '120');
      const metadata = await refusalOf(response, 402);
      assert.equal(metadata.limit_source, 'service_in_flight_budget');
      assert.equal(metadata.reason, 'in_flight_budget_exhausted');
    } else await response.json();
  });
  await Promise.all(answers);
  assert.deepEqual([...statuses].sort(), [
    [200, 40],
    [402, 1_960],
  ]);
  assert.equal(upstream.received, 40);
  const { balance } = await gateway.storage.ledger.balance(gateway.account.id);
  assert.equal(balance, usd('4.80') - 40n * 15_000n);
  assert.deepEqual(await gateway.storage.ledger.verify(), []);
});

test('a charge through one key is known to every other key at once', async (t) => {
  const { gateway } = await withProviders(t, [{ script: good }]);
  await credit(gateway, '0.12');
  const other = { authorization: `Bearer ${await gateway.createKey()}` };
  assert.equal((await gateway.post(atlas)).status, 200);
  // Half of what is left, 0.11997, is less than the 0.06 it may cost.
  const metadata = await refusalOf(await gateway.post(atlas, other), 402);
  assert.deepEqual([metadata.limit_source, metadata.reason], ['service_credits', 'weight_exceeds_budget']);
});

test('the first check that fails answers, in the order of docs/spec/money.md#admission-order', async (t) => {
  const { gateway, upstreams } = await withProviders(t, [{ script: good }]);
  const nowhere = { ...atlas, provider: { only: ['elsewhere'] } };
  await credit(gateway, '-1');
  const debt = await refusalOf(await gateway.post({ ...nowhere, model: 'acme/atlas-4:free' }), 402);
  assert.equal(debt.limit_source, 'service_credits', 'a negative balance comes first, for free models too');
  const capped = await start(t, {
    models: [
      modelOf('acme/atlas-4', [providerOf({ slug: 'north' })]),
      modelOf('acme/atlas-4:free', [providerOf({ slug: 'north' })]),
    ],
    billingMode: 'prepaid',
  });
  const authorization = `Bearer ${await capped.createKey({ limit: 0n as NanoUsd })}`;
  const cap = await refusalOf(await capped.post(nowhere, { authorization }), 402);
  assert.equal(cap.limit_source, 'service_key_limit', 'before routing finds no endpoint');
  const free = await capped.post({ ...nowhere, model: 'acme/atlas-4:free' }, { authorization });
  assert.equal(free.status, 503, 'free models have no key limit');
  assert.equal((await capped.post({ ...nowhere })).status, 503, 'routing comes before the balance');
  assert.equal((await capped.post({ ...atlas, model: 'acme/none' }, { authorization })).status, 400);
  const empty = await refusalOf(await capped.post(atlas), 402);
  assert.deepEqual([empty.limit_source, empty.reason], ['service_credits', undefined]);
  assert.equal(upstreams[0]?.requests.length, 0);
});

test('a dearer fallback that does not fit is not called; nothing else left, 402 says when to retry', async (t) => {
  const failing: Script = { status: 500, headers: {} };
  const { gateway, upstreams } = await withProviders(t, [
    { script: failing },
    { script: good, fields: { price: dear } },
  ]);
  await credit(gateway, '0.15');
  const response = await gateway.post(atlas, { 'x-service-metadata': 'enabled' });
  assert.equal(response.headers.get('retry-after'), '120');
  assert.equal((await refusalOf(response.clone(), 402)).limit_source, 'service_in_flight_budget');
  assert.equal('service_metadata' in ((await response.json()) as object), false);
  assert.deepEqual([upstreams[0]?.requests.length, upstreams[1]?.requests.length], [1, 0]);
  await credit(gateway, '0.05');
  const fresh = { authorization: `Bearer ${await gateway.createKey()}` };
  assert.equal((await gateway.post(atlas, fresh)).status, 200, 'with more credits it is called');
});

test('after the headers of a stream the same refusal comes in-band, with code 402', async (t) => {
  const { gateway } = await withProviders(
    t,
    [{ script: { status: 500, headers: {}, delay: 200 } }, { script: good, fields: { price: dear } }],
    { server: { keepAlive: 20 } },
  );
  await credit(gateway, '0.15');
  const response = await gateway.post({ ...atlas, stream: true });
  assert.equal(response.status, 200);
  const { events } = await readStream(response);
  const last = events.at(-1) as unknown as {
    type: string;
    response: {
      error_type: string;
      error: { code: string; message: string; metadata: Record<string, unknown> };
    };
  };
  assert.equal(last.type, 'response.failed');
  assert.equal(last.response.error_type, 'payment_required');
  assert.match(last.response.error.message, /try again in 120 s/);
  const { code, limit_source, reason } = last.response.error.metadata;
  assert.deepEqual(
    [code, limit_source, reason],
    [402, 'service_in_flight_budget', 'in_flight_budget_exhausted'],
  );
});

const threeADay = {
  ...defaultLimits,
  freeModels: { ...defaultLimits.freeModels, perMinute: 1_000, perDay: 3 },
};
const freeRequest = { model: 'acme/atlas-4:free', input: 'Hello' };

async function freeToday(gateway: TestGateway): Promise<unknown> {
  const body = (await (await gateway.get('/api/v1/key')).json()) as { data: Record<string, unknown> };
  return body.data.free_model_daily_requests;
}

test('free variants have a limit for the whole account, told in headers; successes tell none', async (t) => {
  const { gateway } = await withProviders(t, [{ script: good }], { config: { limits: threeADay } });
  const other = { authorization: `Bearer ${await gateway.createKey()}` };
  const asked = Date.now();
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, index) => gateway.post(freeRequest, index % 2 === 0 ? {} : other)),
  );
  const limited = responses.filter((response) => response.status === 429);
  assert.equal(limited.length, 7);
  for (const response of limited) {
    assert.equal((await refusalOf(response, 429)).limit_source, 'service_free_tier_daily');
    assert.equal(response.headers.get('x-ratelimit-limit'), '3');
    assert.equal(response.headers.get('x-ratelimit-remaining'), '0');
    const reset = Number(response.headers.get('x-ratelimit-reset'));
    assert.ok(reset > Date.now() && reset <= Date.now() + 86_400_000 && reset % 86_400_000 === 0);
    const wait = Number(response.headers.get('retry-after'));
    assert.ok(wait >= (reset - Date.now()) / 1000 && wait <= Math.ceil((reset - asked) / 1000), `${wait}`);
  }
  for (const response of responses.filter(({ status }) => status === 200)) {
    assert.deepEqual(
      [...response.headers.keys()].filter((name) => name.startsWith('x-ratelimit')),
      [],
    );
  }
  assert.deepEqual(await freeToday(gateway), { used: 3, limit: 3, remaining: 0 });
  await credit(gateway, 5);
  const fresh = { authorization: `Bearer ${await gateway.createKey()}` };
  assert.equal((await gateway.post(atlas, fresh)).status, 200, 'paid models have no such limit');
});

test('an exempt endpoint serves and counts beyond the limit, where another one is passed over', async (t) => {
  const exempt = { script: good, fields: { freeLimitExempt: true } };
  const { gateway, upstreams } = await withProviders(t, [{ script: good }, exempt], {
    config: { limits: threeADay },
  });
  for (let count = 0; count < 5; count += 1) assert.equal((await gateway.post(freeRequest)).status, 200);
  assert.deepEqual(
    upstreams.map(({ requests }) => requests.length),
    [3, 2],
  );
  assert.deepEqual(await freeToday(gateway), { used: 5, limit: 3, remaining: 0 });
  const only = { ...freeRequest, provider: { only: ['provider0'] } };
  assert.equal((await refusalOf(await gateway.post(only), 429)).limit_source, 'service_free_tier_daily');
});

test('a failed free request counts; one whose account is exempt counts and passes', async (t) => {
  const { gateway } = await withProviders(t, [{ script: { status: 500, headers: {} } }], {
    config: { limits: threeADay },
  });
  for (let count = 0; count < 3; count += 1) assert.equal((await gateway.post(freeRequest)).status, 502);
  assert.equal((await gateway.post(freeRequest)).status, 429);
  await gateway.storage.accounts.update(gateway.account.id, { freeLimitExempt: true });
  const fresh = { authorization: `Bearer ${await gateway.createKey()}` };
  assert.equal((await gateway.post(freeRequest, fresh)).status, 502);
  assert.deepEqual(await freeToday(gateway), { used: 4, limit: 3, remaining: 0 });
});

test('among models of both kinds exhausted free ones drop out; 429 only when nothing is left', async (t) => {
  const { gateway, upstreams } = await withProviders(t, [{ script: good }], {
    config: { limits: threeADay },
  });
  await credit(gateway, 5);
  const mixed = { ...atlas, model: 'acme/atlas-4:free', models: ['acme/atlas-4'] };
  const served: unknown[] = [];
  for (let count = 0; count < 5; count += 1) {
    const body = (await (await gateway.post(mixed)).json()) as { model: string };
    served.push(body.model);
  }
  assert.deepEqual(served, [...Array(3).fill('acme/atlas-4:free'), ...Array(2).fill('acme/atlas-4')]);
  assert.deepEqual(await freeToday(gateway), { used: 3, limit: 3, remaining: 0 });
  const before = upstreams[0]?.requests.length;
  const onlyFree = { ...mixed, provider: { max_price: { completion: '0' } } };
  const response = await gateway.post(onlyFree);
  assert.ok(response.status === 429 || response.status === 503);
  assert.equal(upstreams[0]?.requests.length, before);
});

test('the count of free requests survives a restart', async (t) => {
  const directory = temporaryFolder();
  const options = {
    config: { limits: threeADay },
    databaseUrl: `sqlite:${join(directory, 'headgate.db')}`,
  };
  const first = await withProviders(t, [{ script: good }], options);
  for (let count = 0; count < 2; count += 1) await (await first.gateway.post(freeRequest)).json();
  await first.gateway.stop();
  const again = await withProviders(t, [{ script: good }], options);
  const old = { authorization: `Bearer ${first.gateway.key}` };
  const body = await (await again.gateway.get('/api/v1/key', old)).json();
  assert.deepEqual(
    (body as { data: { free_model_daily_requests: unknown } }).data.free_model_daily_requests,
    {
      used: 2,
      limit: 3,
      remaining: 1,
    },
  );
  assert.equal((await again.gateway.post(freeRequest, old)).status, 200);
  assert.equal((await again.gateway.post(freeRequest, old)).status, 429);
});
