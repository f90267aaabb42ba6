import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { hashKey } from '../../src/core/api-key.ts';
import type { Price } from '../../src/core/catalogue.ts';
import { type NanoUsd, parsePricePerMillion, parseUsd } from '../../src/core/money.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { type GatewayOptions, startGateway, type TestGateway } from '../support/gateway.ts';
import { defaultLimits } from '../support/limits.ts';
import { startSlowUpstream } from '../support/slow-upstream.ts';
import { roomInWindow } from '../support/windows.ts';

const usd = parseUsd;
/** 1,000 tokens out cost 0.01 USD, and the prompt nothing. */
const outputOnly: Price = { prompt: parsePricePerMillion(0), completion: parsePricePerMillion(10) };
const atlas = { model: 'acme/atlas-4', input: 'Hello', max_output_tokens: 1_000 };
const estimate = usd('0.01');

// Limits are of days: no test begins where one ends.
beforeEach(() => roomInWindow('day', 60_000));

/** A gateway with one slow provider that reports so many output tokens. */
async function start(
  t: TestContext,
  { outputTokens, pause }: { readonly outputTokens: number; readonly pause: number },
  config: GatewayOptions['config'] = {},
) {
  const upstream = await startSlowUpstream({ outputTokens, pause });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const models = [modelOf('acme/atlas-4', [north], { price: outputOnly })];
  const gateway = await startGateway({ models, config });
  t.after(() => upstream.close());
  t.after(() => gateway.stop());
  return { gateway, upstream };
}

const whole = { outputTokens: 1_000, pause: 300 };
/** Longer than anybody waits. */
const endless = { outputTokens: 1_000, pause: 60_000 };

interface Answered {
  readonly status: number;
  readonly source: unknown;
  readonly reason: unknown;
  readonly retryAfter: string | null;
  readonly shouldRetry: string | null;
}

async function ask(gateway: TestGateway, raw: string, body: object = atlas): Promise<Answered> {
  const response = await gateway.post(body, { authorization: `Bearer ${raw}` });
  const text = await response.text();
  const metadata = response.ok ? undefined : JSON.parse(text).error.metadata;
  return {
    status: response.status,
    source: metadata?.limit_source,
    reason: metadata?.reason,
    retryAfter: response.headers.get('retry-after'),
    shouldRetry: response.headers.get('x-should-retry'),
  };
}

async function spent(gateway: TestGateway, raw: string): Promise<bigint> {
  const { usage } = await gateway.storage.ledger.keySpend(hashKey(raw), Date.now());
  return usage.total;
}

async function manager(gateway: TestGateway) {
  const management = await gateway.createKey({ kind: 'management', workspaceId: null });
  return async (method: string, path: string, body: unknown) => {
    const { status, text, body: answer } = await callApi(gateway, management, method, path, body);
    assert.ok(status < 300, text);
    return answer;
  };
}

/** Ways to limit what one key may spend, with the source that refusals name. */
const kinds = {
  key: {
    source: 'service_key_limit',
    limited: (gateway: TestGateway, limit: NanoUsd) => gateway.createKey({ limit, limitReset: 'daily' }),
    usedUp: 402,
  },
  workspace: {
    source: 'service_workspace_budget',
    limited: async (gateway: TestGateway, limit: NanoUsd) => {
      const manage = await manager(gateway);
      await manage('PUT', '/workspaces/default/budgets/daily', { limit_usd: Number(limit) / 1e9 });
      return gateway.createKey();
    },
    usedUp: 403,
  },
  guardrail: {
    source: 'service_guardrail_budget',
    limited: async (gateway: TestGateway, limit: NanoUsd) => {
      const manage = await manager(gateway);
      const raw = await gateway.createKey();
      const rules = { name: 'test', limit_usd: Number(limit) / 1e9, reset_interval: 'daily' };
      const { data } = await manage('POST', '/guardrails', rules);
      await manage('POST', `/guardrails/${data.id}/assignments/keys`, { key_hashes: [hashKey(raw)] });
      return raw;
    },
    usedUp: 403,
  },
} as const;

for (const [kind, { source, limited, usedUp }] of Object.entries(kinds)) {
  for (const stream of [false, true]) {
    test(`${kind}, stream ${stream}: of 40 requests at once as many are served as the limit has estimates`, async (t) => {
      const { gateway, upstream } = await start(t, whole);
      const raw = await limited(gateway, (5n * estimate) as NanoUsd);
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => ask(gateway, raw, { ...atlas, stream })),
      );
      const refused = answers.filter(({ status }) => status !== 200);
      assert.equal(answers.length - refused.length, 5);
      assert.ok(upstream.mostAtOnce <= 5, String(upstream.mostAtOnce));
      assert.equal(await spent(gateway, raw), 5n * estimate);
      for (const one of refused)
        assert.deepEqual([one.status, one.source, one.reason], [usedUp, source, undefined]);
      assert.deepEqual(await gateway.storage.ledger.verify(), []);
    });
  }

  test(`${kind}: a request waits for running ones, then is refused for them, and is told to retry`, async (t) => {
    const { gateway, upstream } = await start(t, endless);
    const raw = await limited(gateway, (2n * estimate + 1n) as NanoUsd);
    const controller = new AbortController();
    const running = [1, 2, 3].map(() =>
      fetch(`${gateway.url}/api/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${raw}` },
        body: JSON.stringify(atlas),
        signal: controller.signal,
      }).catch(() => undefined),
    );
    while (upstream.received < 3) await sleep(10);
    const beganAt = performance.now();
    const refused = await ask(gateway, raw);
    assert.ok(performance.now() - beganAt > 1_500, 'it waited');
    assert.deepEqual(refused, {
      status: 402,
      source,
      reason: 'limit_reserved',
      retryAfter: '1',
      shouldRetry: 'true',
    });
    assert.equal(upstream.received, 3, 'the third holds the rest');
    const { verdict } = await planned(gateway, raw);
    assert.deepEqual(
      [verdict.admitted, verdict.error.metadata.limit_source, verdict.error.metadata.reason],
      [false, source, 'limit_reserved'],
    );
    // They leave: what they held is free again at once, less what they are charged for.
    controller.abort();
    await Promise.all(running);
    await settled(gateway, 3);
    assert.equal((await planned(gateway, raw)).verdict.admitted, true);
  });
}

async function planned(gateway: TestGateway, raw: string) {
  const response = await fetch(`${gateway.url}/api/v1/responses/plan`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${raw}` },
    body: JSON.stringify(atlas),
  });
  return (await response.json()) as {
    verdict: { admitted: boolean; error: { metadata: Record<string, unknown> } };
  };
}

/** Waits until so many requests have a record. */
async function settled(gateway: TestGateway, count: number): Promise<void> {
  const log = () => gateway.log.filter((line) => line.includes('"generationId"') || line.includes('gen-'));
  for (let waited = 0; waited < 200 && log().length < count; waited += 1) await sleep(10);
  await sleep(200);
}

test('requests that cost a fifth of their estimate all succeed with the usual retries of a client library', async (t) => {
  const { gateway } = await start(t, { outputTokens: 200, pause: 100 });
  const raw = await gateway.createKey({ limit: (5n * estimate) as NanoUsd });
  const client = new OpenAI({ baseURL: `${gateway.url}/api/v1`, apiKey: raw });
  const answers = await Promise.all(Array.from({ length: 24 }, () => client.responses.create({ ...atlas })));
  for (const { status } of answers) assert.equal(status, 'completed');
  assert.equal(await spent(gateway, raw), (24n * estimate) / 5n);
  assert.deepEqual(await gateway.storage.ledger.verify(), []);
});

test('a lone request is served while anything is left, and the next one is not', async (t) => {
  const { gateway } = await start(t, { ...whole, pause: 0 });
  const raw = await gateway.createKey({ limit: 1n as NanoUsd });
  assert.equal((await ask(gateway, raw)).status, 200);
  const { status, source, reason, retryAfter } = await ask(gateway, raw);
  assert.deepEqual([status, source, reason, retryAfter], [402, 'service_key_limit', undefined, null]);
});

test('a refusal for running requests fits its contract and is kept for no retry by Idempotency-Key', async (t) => {
  const { gateway, upstream } = await start(t, { outputTokens: 200, pause: 2_600 });
  const raw = await gateway.createKey({ limit: estimate });
  const headers = { authorization: `Bearer ${raw}` };
  const running = gateway.post(atlas, headers);
  while (upstream.received < 1) await sleep(10);
  const named = { ...headers, 'idempotency-key': 'again' };
  const refused = await gateway.post(atlas, named);
  const problem = await refused.json();
  assert.equal(refused.status, 402);
  checkContract('PaymentRequiredResponse', problem);
  assert.equal((await running).status, 200);
  const answered = await gateway.post(atlas, named);
  assert.equal(answered.status, 200);
  const [first, again] = [await answered.text(), await (await gateway.post(atlas, named)).text()];
  assert.equal(again, first, 'and the answer is charged once');
  assert.equal(await spent(gateway, raw), (2n * estimate) / 5n);
});

test('a request whose hold has lapsed leaves its part of the limit to others', async (t) => {
  const inFlightBudget = { ...defaultLimits.inFlightBudget, lease: 50, leaseRenewal: 60_000 };
  const { gateway, upstream } = await start(
    t,
    { outputTokens: 1_000, pause: 1_000 },
    {
      limits: { ...defaultLimits, inFlightBudget },
    },
  );
  const raw = await gateway.createKey({ limit: estimate });
  const first = ask(gateway, raw);
  while (upstream.received < 1) await sleep(10);
  const second = ask(gateway, raw);
  assert.deepEqual([(await first).status, (await second).status], [200, 200]);
  assert.equal(upstream.mostAtOnce, 2);
});

test('what is left of a limit is what is unspent, whatever running requests hold', async (t) => {
  const { gateway, upstream } = await start(t, { ...whole, pause: 1_000 });
  const raw = await gateway.createKey({ limit: (2n * estimate) as NanoUsd });
  const headers = { authorization: `Bearer ${raw}` };
  const running = ask(gateway, raw);
  while (upstream.received < 1) await sleep(10);
  const left = async () =>
    ((await (await gateway.get('/api/v1/key', headers)).json()) as { data: { limit_remaining: number } }).data
      .limit_remaining;
  assert.equal(await left(), 0.02);
  await running;
  assert.equal(await left(), 0.01);
});

test('a client that leaves while it waits takes nothing and nobody’s place', async (t) => {
  const { gateway, upstream } = await start(t, { outputTokens: 200, pause: 900 });
  const raw = await gateway.createKey({ limit: estimate });
  const running = ask(gateway, raw);
  while (upstream.received < 1) await sleep(10);
  const controller = new AbortController();
  const leaving = fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${raw}` },
    body: JSON.stringify(atlas),
    signal: controller.signal,
  });
  await sleep(200);
  const next = ask(gateway, raw);
  controller.abort();
  await assert.rejects(leaving);
  assert.deepEqual([(await running).status, (await next).status], [200, 200]);
  assert.equal(upstream.received, 2);
  assert.equal(await spent(gateway, raw), (2n * estimate) / 5n);
});

test('what a request needs of a limit follows what was measured of the key and the model', async (t) => {
  const { gateway, upstream } = await start(t, { outputTokens: 100, pause: 100 });
  const raw = await gateway.createKey({ limit: (3n * estimate) as NanoUsd });
  for (let call = 0; call < 20; call += 1) assert.equal((await ask(gateway, raw)).status, 200);
  assert.equal(upstream.mostAtOnce, 1);
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(gateway, raw)));
  for (const { status } of answers) assert.equal(status, 200);
  // One estimate is left: it would let one or two run at a time.
  assert.ok(upstream.mostAtOnce > 5, String(upstream.mostAtOnce));
  assert.equal(await spent(gateway, raw), 3n * estimate);
});
