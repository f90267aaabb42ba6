import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { parsePricePerMillion, parseUsd } from '../../src/core/money.ts';
import type { BillingMode } from '../../src/ports/accounts.ts';
import { noteOfCall } from '../../src/settlement/lapsed-call.ts';
import { apiKey, ledgerEntry, unique } from '../conformance/fixtures.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';
import { startHoldingUpstream } from '../support/holding-upstream.ts';
import { defaultLimits } from '../support/limits.ts';
import { readStream } from '../support/read-stream.ts';
import { openProcess, until } from '../support/redis-processes.ts';
import { startRedis } from '../support/start-redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { roomInWindow } from '../support/windows.ts';

const free = { prompt: parsePricePerMillion(0), completion: parsePricePerMillion(0) };
/** 4,000 tokens out may cost 0.06 USD. */
const outputOnly = { prompt: parsePricePerMillion(0), completion: parsePricePerMillion(15) };
const cached = { ...outputOnly, prompt: parsePricePerMillion(3), cacheRead: parsePricePerMillion(1) };
const atlas = { model: 'acme/atlas-4', input: 'Hello', max_output_tokens: 4_000 };

/** Two gateways on one database file and one Redis; the key of the first works at both. */
async function begin(
  t: TestContext,
  upstreamUrl: string,
  billingMode: BillingMode,
  onFailure: 'reject' | 'local' = 'reject',
) {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const directory = temporaryFolder();
  const providers = ['north', 'south'].map((slug) => providerOf({ slug, baseUrl: `${upstreamUrl}/v1` }));
  const north = providers.slice(0, 1);
  const open = async () => {
    const gateway = await startGateway({
      models: [
        modelOf('acme/atlas-4', north, { price: outputOnly }),
        modelOf('acme/atlas-4:free', north, { price: free }),
        modelOf('acme/pair', providers, { price: cached }),
      ],
      databaseUrl: `sqlite:${join(directory, 'headgate.db')}`,
      billingMode,
      config: { sharedState: { url: redis.url, onFailure } },
    });
    t.after(() => gateway.stop());
    return gateway;
  };
  const [one, other] = [await open(), await open()];
  const headers = { authorization: `Bearer ${one.key}` };
  const gateways = [one, other] as const;
  const post = (index: number, body: unknown, more: Record<string, string> = {}) =>
    (gateways[index % 2] ?? one).post(body, { ...headers, ...more });
  // A machine that is too busy may leave Redis unasked for a second: that decides nothing.
  const decided = async (...asked: Parameters<typeof post>): Promise<Response> => {
    const answer = await post(...asked);
    return answer.status === 503 ? decided(...asked) : answer;
  };
  return { redis, one, other, post, decided };
}

test('a request with an idempotency key is made once by two gateways and charged once', async (t) => {
  const upstream = await startFakeUpstream();
  t.after(() => upstream.close());
  const { one, decided: post } = await begin(t, upstream.url, 'invoice');
  const [first = '', ...rest] = chatStream('Good ', 'day.');
  upstream.play({ steps: [first, 500, ...rest] });
  const body = { ...atlas, stream: true };
  const made = post(0, body, { 'idempotency-key': 'a' });
  while (upstream.requests.length === 0) await setTimeout(5);
  const joined = await post(1, body, { 'idempotency-key': 'a' });
  assert.equal(joined.headers.get('idempotent-replayed'), 'true');
  const [two, once] = [await readStream(joined), await readStream(await made)];
  assert.deepEqual(two.events, once.events);
  const replayed = await readStream(await post(1, body, { 'idempotency-key': 'a' }));
  assert.deepEqual(replayed.events, once.events);
  assert.equal((await post(1, atlas, { 'idempotency-key': 'a' })).status, 422);
  assert.equal(upstream.requests.length, 1);
  const generations = await one.storage.ledger.keySpend(one.keyHash, Date.now());
  assert.ok(generations.usage.total > 0n);
});

test('the answer a gateway made while it stopped is read again at the other one, not made and charged anew', async (t) => {
  const upstream = await startHoldingUpstream();
  t.after(() => upstream.close());
  const { one, decided: post } = await begin(t, upstream.url, 'invoice');
  const made = post(0, atlas, { 'idempotency-key': 'a' });
  await upstream.reached(1);
  const stopped = one.server.stop();
  upstream.release();
  const body = await (await made).json();
  await stopped;
  const again = await post(1, atlas, { 'idempotency-key': 'a' });
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true']);
  assert.deepEqual(await again.json(), body);
  assert.equal(upstream.received, 1);
});

test('free requests of one account are counted over both gateways', async (t) => {
  const upstream = await startFakeUpstream({ steps: chatStream('Good day.') });
  t.after(() => upstream.close());
  const { decided: post } = await begin(t, upstream.url, 'invoice');
  await roomInWindow('minute', 20_000);
  const asked = Array.from({ length: 30 }, (_, index) =>
    post(index, { ...atlas, model: 'acme/atlas-4:free' }),
  );
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 20);
  assert.equal(statuses.filter((status) => status === 429).length, 10);
});

test('what one gateway met decides the plans of the other: who serves a conversation, who asked to wait', async (t) => {
  const upstream = await startFakeUpstream({ steps: chatStream('Good day.') });
  t.after(() => upstream.close());
  const { one, other, post } = await begin(t, upstream.url, 'invoice');
  const pair = { model: 'acme/pair', input: 'Hello' };
  const firstAt = async ({ url }: typeof one, body: object) => {
    const response = await fetch(`${url}/api/v1/responses/plan`, {
      method: 'POST',
      headers: { authorization: `Bearer ${one.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...pair, ...body }),
    });
    const { plan } = (await response.json()) as { readonly plan: readonly { readonly tag: string }[] };
    return plan[0]?.tag;
  };
  const named = { session_id: 'a' };
  assert.equal(await firstAt(other, named), 'north');
  await (await post(0, { ...pair, ...named, provider: { only: ['south'] } })).text();
  await until(async () => (await firstAt(other, named)) === 'south');
  assert.equal(await firstAt(other, {}), 'north');
  upstream.play({ status: 429, headers: { 'retry-after': '60' } });
  assert.equal((await post(1, { ...pair, provider: { only: ['north'] } })).status, 429);
  await until(async () => (await firstAt(one, {})) === 'south');
});

test('money in flight fits one budget over both gateways', async (t) => {
  const upstream = await startHoldingUpstream();
  t.after(() => upstream.close());
  const { one, decided: post } = await begin(t, upstream.url, 'prepaid');
  // A budget of 0.6 USD: ten times 0.06.
  await one.storage.ledger.append(ledgerEntry(one.account.id, { amount: parseUsd('1.2') }));
  const statuses: number[] = [];
  const asked = Array.from({ length: 40 }, async (_, index) =>
    statuses.push((await post(index, atlas)).status),
  );
  await upstream.reached(10);
  await until(() => statuses.length === 30);
  assert.deepEqual(new Set(statuses), new Set([402]));
  assert.equal(upstream.received, 10);
  upstream.release();
  await Promise.all(asked);
  assert.equal(statuses.filter((status) => status === 200).length, 10);
});

test('the record of a request whose process died is closed by a gateway that never held anything', async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const inFlightBudget = { ...defaultLimits.inFlightBudget, leaseRenewal: 100 };
  const gateway = await startGateway({
    models: [],
    config: {
      sharedState: { url: redis.url, onFailure: 'reject' },
      limits: { ...defaultLimits, inFlightBudget },
    },
  });
  t.after(() => gateway.stop());
  const dead = await openProcess(redis.url, t);
  const id = { accountId: gateway.account.id, requestId: unique('gen-') };
  const key = apiKey(gateway.account.id, { hash: gateway.keyHash });
  const request = { models: ['acme/atlas-4'], stream: false };
  const note = noteOfCall({ request, caller: { key }, receivedAt: Date.now() });
  const terms = { budget: parseUsd(5), lease: 50, settlementWindow: 120_000, note };
  await dead.inFlightBudget.hold(id, parseUsd(1), terms);
  await until(async () => (await gateway.storage.generations.find(id.requestId))?.lapsed === true);
});

for (const onFailure of ['reject', 'local'] as const) {
  test(`without Redis: ${onFailure}`, async (t) => {
    const upstream = await startFakeUpstream({ steps: chatStream('Good day.') });
    t.after(() => upstream.close());
    const { redis, one, post, decided } = await begin(t, upstream.url, 'prepaid', onFailure);
    await one.storage.ledger.append(ledgerEntry(one.account.id, { amount: parseUsd(10) }));
    assert.equal((await decided(0, atlas)).status, 200);
    await redis.kill();
    const refusedStatus = onFailure === 'reject' ? 503 : 200;
    assert.equal((await post(0, atlas)).status, refusedStatus, 'subject to the budget');
    assert.equal((await post(1, { ...atlas, model: 'acme/atlas-4:free' })).status, refusedStatus);
    assert.equal((await post(1, atlas, { 'idempotency-key': 'a' })).status, refusedStatus);
    await one.storage.ledger.append(ledgerEntry(one.account.id, { amount: parseUsd(1_000) }));
    // Not subject to it, once that is known.
    await until(async () => (await post(0, atlas)).status === 200);
    await redis.restart();
    for (const index of [0, 1])
      await until(async () => (await post(index, { ...atlas, model: 'acme/atlas-4:free' })).status === 200);
    assert.equal((await decided(1, atlas, { 'idempotency-key': 'b' })).status, 200);
  });
}
