import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RateRules } from '../../src/core/limits.ts';
import type { ApiKey } from '../../src/ports/keys.ts';
import { chatBody, chatChunk, chatStream } from '../fake-upstream/chat-stream.ts';
import { type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { eventually } from '../support/eventually.ts';
import { type GatewayOptions, startGateway } from '../support/gateway.ts';
import { startHoldingUpstream } from '../support/holding-upstream.ts';
import { defaultLimits } from '../support/limits.ts';
import { readStream } from '../support/read-stream.ts';

const good: Script = { steps: chatStream('Good ', 'day.'), whole: chatBody('Good ', 'day.') };
const hello = { model: 'acme/atlas-4', input: 'Hello' };

interface Refused {
  readonly message: string;
  readonly metadata: {
    readonly error_type: string;
    readonly limit_source: string;
    readonly rate: { readonly metric: string; readonly limit: number; readonly used: number };
  };
}

/** A gateway with these limits in front of a provider. */
async function start(
  t: TestContext,
  rates: Partial<RateRules>,
  scripts: readonly Script[] | string = [good],
  options: Partial<GatewayOptions> = {},
) {
  const upstream = typeof scripts === 'string' ? undefined : await startFakeUpstream(...scripts);
  t.after(() => upstream?.close());
  const north = providerOf({ slug: 'north', baseUrl: `${upstream?.url ?? scripts}/v1` });
  const gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [north]), modelOf('acme/none', [])],
    config: { limits: { ...defaultLimits, rates: { ...defaultLimits.rates, ...rates } } },
    ...options,
  });
  t.after(() => gateway.stop());
  const keyed = async (fields: Partial<ApiKey> = {}) => ({
    authorization: `Bearer ${await gateway.createKey(fields)}`,
  });
  const ask = async (headers: Record<string, string> = {}, body: object = hello) => {
    const response = await gateway.post(body, headers);
    await response.text();
    return response.status;
  };
  return { gateway, upstream, keyed, ask };
}

async function refused(response: Response): Promise<Refused> {
  const body = (await response.json()) as { error: Refused };
  assert.equal(response.status, 429, body.error.message);
  checkContract('TooManyRequestsResponse', body);
  assert.equal(body.error.metadata.error_type, 'rate_limit_exceeded');
  return body.error;
}

test('a key has its limit of requests, which counts whatever becomes of them, and headers say when to return', async (t) => {
  const failing: Script = { status: 500, headers: {} };
  const { gateway, keyed, ask } = await start(t, {}, [good, failing, good]);
  const limited = await keyed({ requestsPerMinute: 3 });
  assert.equal(await ask(limited), 200);
  assert.equal(await ask(limited), 502, 'a failed one counts');
  assert.equal(await ask(limited, { ...hello, stream: true }), 200);
  const asked = Date.now();
  const response = await gateway.post(hello, limited);
  const { message, metadata } = await refused(response);
  assert.match(message, /^The API key may make 3 requests a minute\. Please try again in \d+ s\.$/);
  assert.equal(metadata.limit_source, 'service_key_rate');
  assert.deepEqual(metadata.rate, { metric: 'requests', limit: 3, used: 3, window_seconds: 60 });
  assert.equal(response.headers.get('x-ratelimit-limit'), '3');
  assert.equal(response.headers.get('x-ratelimit-remaining'), '0');
  const reset = Number(response.headers.get('x-ratelimit-reset'));
  assert.ok(reset > asked && reset <= asked + 61_000, String(reset - asked));
  const wait = Number(response.headers.get('retry-after'));
  assert.ok(wait >= 1 && wait <= 61 && Math.abs(asked + wait * 1000 - reset) < 5_000, String(wait));
  assert.equal(await ask(), 200, 'other keys are not limited');
});

test('what is refused and what is replayed does not count', async (t) => {
  const { gateway, keyed, ask, upstream } = await start(t, {});
  const limited = await keyed({ requestsPerMinute: 2, limit: null });
  assert.equal(await ask(limited, { ...hello, model: 'acme/unknown' }), 400);
  assert.equal(await ask(limited, { ...hello, temperature: 9 }), 400);
  assert.equal(await ask(limited, { ...hello, provider: { only: ['elsewhere'] } }), 503);
  const once = { ...limited, 'idempotency-key': 'a' };
  for (let count = 0; count < 3; count += 1) assert.equal(await ask(once), 200);
  assert.equal(await ask(limited), 200);
  assert.equal(await ask(limited), 429);
  assert.equal(await ask(limited), 429);
  assert.equal(upstream?.requests.length, 2);
  assert.equal(await ask(once), 200, 'a replay is no request');
  assert.equal((await gateway.get('/api/v1/key', limited)).status, 200, 'other routes are not limited');
});

test('limits of key, account and installation all hold, and the one that frees last answers', async (t) => {
  const rates = {
    key: { requestsPerMinute: 3 },
    account: { requestsPerMinute: 4 },
    service: { requestsPerMinute: 5 },
  };
  const { gateway, keyed, ask } = await start(t, rates);
  const [one, two, higher, lower] = [
    await keyed(),
    await keyed(),
    await keyed({ requestsPerMinute: 9 }),
    await keyed({ requestsPerMinute: 1 }),
  ];
  const source = async (headers: Record<string, string>) =>
    (await refused(await gateway.post(hello, headers))).metadata.limit_source;
  assert.equal(await ask(lower), 200);
  assert.equal(await source(lower), 'service_key_rate', 'its own limit is lower than that of every key');
  for (let count = 0; count < 3; count += 1) assert.equal(await ask(one), 200);
  // In which second each was counted decides between the two.
  assert.match(await source(one), /^service_(key|account)_rate$/);
  assert.equal(await source(two), 'service_account_rate');
  assert.equal(await source(higher), 'service_account_rate');
  const { data } = (await (await gateway.get('/api/v1/key', higher)).json()) as { data: object };
  assert.partialDeepStrictEqual(data, {
    rates: { requests_per_minute: 3, tokens_per_minute: null },
    parallel: null,
  });
});

test('an account has limits of its own, which replace the ones of the file', async (t) => {
  const { gateway, ask } = await start(t, { account: { requestsPerMinute: 1, parallel: 9 } });
  await gateway.storage.accounts.update(gateway.account.id, { rates: { requestsPerMinute: 3 } });
  for (let count = 0; count < 3; count += 1) assert.equal(await ask(), 200);
  const { metadata } = await refused(await gateway.post(hello));
  assert.deepEqual([metadata.limit_source, metadata.rate.limit], ['service_account_rate', 3]);
  const figures = await (await gateway.get('/metrics')).text();
  assert.match(figures, /^headgate_rate_refusals_total\{scope="account",metric="requests"\} 1$/m);
});

test('the installation has a limit over all accounts, and what it refuses counts against no account', async (t) => {
  const rates = { account: { requestsPerMinute: 2 }, service: { requestsPerMinute: 2 } };
  const { gateway, keyed, ask } = await start(t, rates);
  const other = { ...gateway.account, id: 'user_other', defaultWorkspaceId: 'other' };
  await gateway.storage.accounts.create(other);
  const theirs = await keyed({ accountId: other.id, workspaceId: 'other' });
  assert.equal(await ask(), 200);
  for (let count = 0; count < 3; count += 1)
    assert.equal(await ask(count === 0 ? theirs : {}), count === 0 ? 200 : 429);
  const { metadata } = await refused(await gateway.post(hello));
  assert.deepEqual([metadata.limit_source, metadata.rate.used], ['service_rate', 2]);
});

test('of 500 parallel requests exactly the limit is admitted, streamed or not', async (t) => {
  for (const stream of [false, true]) {
    const { gateway, upstream } = await start(t, { account: { requestsPerMinute: 120 } });
    const other = { authorization: `Bearer ${await gateway.createKey()}` };
    const statuses = await Promise.all(
      Array.from({ length: 500 }, async (_, index) => {
        const response = await gateway.post({ ...hello, stream }, index % 2 === 0 ? {} : other);
        await response.text();
        return response.status;
      }),
    );
    assert.equal(statuses.filter((status) => status === 200).length, 120);
    assert.equal(statuses.filter((status) => status === 429).length, 380);
    assert.equal(upstream?.requests.length, 120);
  }
});

test('tokens are reserved by an estimate, then corrected to what was used', async (t) => {
  const { gateway, keyed, ask } = await start(t, { tokenReserve: 100 });
  const limited = await keyed({ tokensPerMinute: 150 });
  // Each reserves about 101 and uses 9 and 2.
  for (let count = 0; count < 4; count += 1) assert.equal(await ask(limited), 200, String(count));
  const response = await gateway.post(hello, limited);
  assert.equal(response.status, 200);
  await response.text();
  const refusal = await gateway.post(hello, limited);
  const { metadata } = await refused(refusal);
  assert.deepEqual([metadata.rate.metric, metadata.rate.used], ['tokens', 55]);
  assert.equal(refusal.headers.get('x-ratelimit-remaining'), '95');
  assert.equal(await ask(limited, { ...hello, max_output_tokens: 50 }), 200, 'a small answer fits');
});

test('a request above the limit by itself is told not to come back', async (t) => {
  const { gateway, keyed, ask } = await start(t, { tokenReservation: 'maximum' });
  const limited = await keyed({ tokensPerMinute: 1_000 });
  assert.equal(await ask(limited, { ...hello, max_output_tokens: 900 }), 200);
  const response = await gateway.post({ ...hello, max_output_tokens: 1_000 }, limited);
  const { message, metadata } = await refused(response);
  assert.match(message, /^The request may need 1\d\d\d tokens, more than the limit of 1000 tokens a minute/);
  assert.equal(metadata.rate.limit, 1_000);
  const headers = ['retry-after', 'x-should-retry', 'x-ratelimit-reset'];
  assert.deepEqual(
    headers.map((name) => response.headers.get(name)),
    [null, 'false', null],
  );
});

test('a plan shows the verdict and counts nothing', async (t) => {
  const { gateway, keyed, ask } = await start(t, { service: { parallel: 9 } });
  const limited = await keyed({ requestsPerMinute: 1, parallel: 1 });
  const plan = async () => {
    const response = await fetch(`${gateway.url}/api/v1/responses/plan`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...limited },
      body: JSON.stringify(hello),
    });
    return (await response.json()) as { verdict: { admitted: boolean; error: Refused | null } };
  };
  for (let count = 0; count < 3; count += 1) assert.equal((await plan()).verdict.admitted, true);
  assert.equal(await ask(limited), 200);
  const { verdict } = await plan();
  assert.deepEqual([verdict.admitted, verdict.error?.metadata.limit_source], [false, 'service_key_rate']);
});

const unfinished: Script = { steps: [chatChunk({ role: 'assistant', content: 'Good' })], ending: 'hang' };

test('parallel requests have a limit; a place is free once its request has ended, before its last byte', async (t) => {
  const upstream = await startHoldingUpstream();
  t.after(() => upstream.close());
  const rates = { account: { parallel: 5 }, service: { parallel: 6 } };
  const { gateway, keyed, ask } = await start(t, rates, upstream.url);
  const limited = await keyed({ parallel: 2 });
  const running = [gateway.post(hello, limited), gateway.post(hello, limited)];
  await upstream.reached(2);
  const response = await gateway.post(hello, limited);
  const { message, metadata } = await refused(response);
  assert.equal(message, 'The API key may run 2 requests at the same time. Please try again in 1 s.');
  assert.equal(metadata.limit_source, 'service_key_parallel');
  assert.deepEqual(metadata.rate, { metric: 'parallel', limit: 2, used: 2 });
  assert.equal(response.headers.get('retry-after'), '1');
  for (let count = 0; count < 3; count += 1) running.push(gateway.post(hello));
  await upstream.reached(5);
  const account = await refused(await gateway.post(hello));
  assert.equal(account.metadata.limit_source, 'service_account_parallel');
  upstream.release();
  for (const answer of running) assert.equal((await answer).status, 200);
  // One after the other: each comes when the one before has its last byte.
  for (let count = 0; count < 20; count += 1) assert.equal(await ask(await keyed({ parallel: 1 })), 200);
  const alone = await keyed({ parallel: 1 });
  for (let count = 0; count < 20; count += 1) assert.equal(await ask(alone), 200);
});

test('a streamed answer frees its place too before its last byte', async (t) => {
  const { gateway, keyed } = await start(t, {});
  const alone = await keyed({ parallel: 1 });
  for (let count = 0; count < 20; count += 1) {
    const { events } = await readStream(await gateway.post({ ...hello, stream: true }, alone));
    assert.equal(events.at(-1)?.type, 'response.completed');
  }
});

test('a client that leaves and a provider that fails free the place', async (t) => {
  const never: Script = { delay: 60_000 };
  const cut: Script = { ...unfinished, ending: 'cut' };
  const scripts = [unfinished, never, cut, { status: 500, headers: {} }, good];
  const { gateway, keyed, ask, upstream } = await start(t, {}, scripts);
  const alone = await keyed({ parallel: 1 });
  const leaving = (body: object) => {
    const controller = new AbortController();
    const answer = fetch(`${gateway.url}/api/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...alone },
      body: JSON.stringify(body),
      signal: controller.signal,
    });
    answer.catch(() => {});
    return { answer, leave: () => controller.abort() };
  };
  const streamed = leaving({ ...hello, stream: true });
  await (await streamed.answer).body?.getReader().read();
  assert.equal(await ask(alone), 429);
  streamed.leave();
  let whole = leaving(hello);
  await eventually('a request in the freed place', async () => {
    const refusal = await Promise.race([whole.answer.then(() => true), sleep(200)]);
    if (refusal === true) whole = leaving(hello);
    return upstream?.requests.length === 2 ? true : undefined;
  });
  assert.equal(await ask(alone), 429);
  whole.leave();
  const third = await eventually('the place of a request without an answer', async () => {
    const status = await ask(alone, { ...hello, stream: true });
    return status === 429 ? undefined : status;
  });
  assert.equal(third, 200, 'it failed in its stream');
  assert.equal(await ask(alone), 502);
  assert.equal(await ask(alone), 200);
});
