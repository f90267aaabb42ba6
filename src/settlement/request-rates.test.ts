import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { testCaller } from '../../test/support/caller.ts';
import { defaultLimits } from '../../test/support/limits.ts';
import { parse } from '../../test/support/request-parsing.ts';
import type { RateRules } from '../core/limits.ts';
import { zeroUsd } from '../core/money.ts';
import { MemoryRateLimits } from '../shared-state/memory/memory-rate-limits.ts';
import { MeasuredPrompt } from './measured-prompt.ts';
import { RequestRates } from './request-rates.ts';

const start = Date.UTC(2026, 10, 18, 12);
const calls = ['claim', 'look', 'withdraw', 'settle', 'renew'] as const;

function begin(t: TestContext, change: Partial<RateRules>) {
  const clock = { time: start, now: () => clock.time };
  const rateLimits = new MemoryRateLimits(clock);
  const mocked = calls.map((name) => [name, t.mock.method(rateLimits, name)] as const);
  const rates: RateRules = { ...defaultLimits.rates, ...change };
  const kept = new Set<string>();
  const services = {
    clock,
    limits: () => ({ ...defaultLimits, rates }),
    rateLimits,
    rateLeases: {
      keep: (member: { home: string; claim: { requestId: string } }) => {
        kept.add(member.home);
        return { member, place: 0 };
      },
      drop: ({ member }: { member: { home: string } }) => void kept.delete(member.home),
    },
  } as unknown as Parameters<typeof RequestRates.of>[1];
  const caller = testCaller(zeroUsd);
  let requests = 0;
  const make = (one: Parameters<typeof RequestRates.of>[0]['caller'] = caller) => {
    requests += 1;
    return RequestRates.of({ generationId: `gen-${requests}`, caller: one }, services);
  };
  const claim = async (one?: Parameters<typeof RequestRates.of>[0]['caller'], body = {}) => {
    const made = make(one);
    assert.ok(made);
    return { made, refusal: await made.claim(new MeasuredPrompt(parse(body).canonical)) };
  };
  /** How often each function of the port was called, where it was. */
  const counts = () =>
    Object.fromEntries(
      mocked.map(([name, { mock }]) => [name, mock.callCount()] as const).filter(([, count]) => count > 0),
    );
  return { clock, rateLimits, make, claim, counts, kept, caller };
}

test('without a limit there is nothing to claim', (t) => {
  const { make, counts } = begin(t, { tokenReserve: 5 });
  assert.equal(make(), undefined);
  assert.deepEqual(counts(), {});
});

test('a limit of requests costs one call, one of tokens or parallel requests a second one', async (t) => {
  const requests = begin(t, { account: { requestsPerMinute: 9 } });
  const { made } = await requests.claim();
  made.use({ uncachedInput: 7, output: 8 });
  await made.settle();
  assert.deepEqual(requests.counts(), { claim: 1 });
  const tokens = begin(t, { key: { tokensPerMinute: 9_000 }, account: { parallel: 3 } });
  const both = await tokens.claim();
  await both.made.claim(new MeasuredPrompt(parse({}).canonical));
  assert.deepEqual([...tokens.kept], [tokens.caller.account.id]);
  await both.made.settle();
  await both.made.settle();
  assert.deepEqual(tokens.counts(), { claim: 1, settle: 1 });
  assert.equal(tokens.kept.size, 0);
});

test('what one home refuses is withdrawn from the other, and the limit that frees last answers', async (t) => {
  const rates = { account: { requestsPerMinute: 2, parallel: 9 }, service: { requestsPerMinute: 3 } };
  const { claim, clock, counts, kept } = begin(t, rates);
  const other = testCaller(zeroUsd);
  const sourceOf = async (caller?: typeof other) => (await claim(caller)).refusal?.metadata.limit_source;
  assert.equal(await sourceOf(), undefined);
  clock.time += 5_000;
  assert.equal(await sourceOf(other), undefined);
  clock.time += 5_000;
  assert.equal(await sourceOf(other), undefined);
  const third = testCaller(zeroUsd);
  assert.equal(await sourceOf(third), 'service_rate');
  assert.equal(kept.has(third.account.id), false);
  assert.deepEqual(counts(), { claim: 8, withdraw: 1 });
  // The account of two frees after 55 seconds, the installation after 51.
  assert.equal(await sourceOf(other), 'service_account_rate');
  clock.time = start + 61_000;
  assert.equal(await sourceOf(), undefined);
  assert.equal(await sourceOf(other), 'service_account_rate');
  clock.time += 5_000;
  assert.equal(await sourceOf(other), undefined);
  assert.equal(await sourceOf(), 'service_rate');
});

test('a request that a turn has worked for counts though it is refused in the end', async (t) => {
  const { claim, counts } = begin(t, { account: { tokensPerMinute: 5_000 } });
  const { made } = await claim();
  made.use({ uncachedInput: 100, cacheRead: 50, output: 50, reasoning: 20 });
  await made.withdraw();
  assert.deepEqual(counts(), { claim: 1, settle: 1 });
  const { refusal } = await claim(undefined, { input: 'Word '.repeat(4_000) });
  assert.equal(refusal?.metadata.rate?.used, 200);
});

test('counters that cannot be reached are 503, and leave no claim behind', async (t) => {
  const { claim, rateLimits, counts } = begin(t, { account: { parallel: 1 }, service: { parallel: 9 } });
  const original = rateLimits.claim.bind(rateLimits);
  const failing = t.mock.method(rateLimits, 'claim', (...asked: Parameters<typeof original>) =>
    asked[0] === 'installation' ? Promise.reject(new Error('away')) : original(...asked),
  );
  const { refusal } = await claim();
  assert.deepEqual([refusal?.status, refusal?.code], [503, 'service_unavailable']);
  assert.equal(counts().withdraw, 1);
  failing.mock.restore();
  assert.equal((await claim()).refusal, undefined);
});

test('a place that cannot be freed is left to lapse', async (t) => {
  const { claim, rateLimits, kept } = begin(t, { service: { parallel: 1 } });
  const { made } = await claim();
  t.mock.method(rateLimits, 'settle', () => Promise.reject(new Error('away')));
  await made.settle();
  assert.equal(kept.size, 0);
});

test('what a request reserves: output as limited, or as presumed', async (t) => {
  const reserved = async (rules: Partial<RateRules>, body: object) => {
    const { claim } = begin(t, { ...rules, account: { tokensPerMinute: 1 } });
    const { refusal } = await claim(undefined, body);
    const [, tokens] = /may need (\d+) tokens/.exec(refusal?.message ?? '') ?? [];
    return Number(tokens);
  };
  const small = { max_output_tokens: 500 };
  const large = { max_output_tokens: 50_000 };
  const input = (await reserved({ tokenReserve: 0 }, {})) || 0;
  assert.ok(input > 0 && input < 20);
  for (const [rules, body, output] of [
    [{}, {}, 1024],
    [{}, small, 500],
    [{}, large, 1024],
    [{ tokenReservation: 'maximum' }, {}, 16_384],
    [{ tokenReservation: 'maximum' }, small, 500],
    [{ tokenReservation: 'maximum' }, large, 50_000],
  ] as const) {
    assert.equal((await reserved(rules, body)) - input, output, JSON.stringify([rules, body]));
  }
});
