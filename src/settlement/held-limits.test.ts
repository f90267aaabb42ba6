import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testCredential } from '../../test/support/credentials.ts';
import { atlas, begin, free, usd } from '../../test/support/spending-account.ts';
import type { HeadgateError } from '../core/errors.ts';
import type { InFlightBudget } from '../ports/in-flight-budget.ts';
import { MemoryInFlightBudget } from '../shared-state/memory/memory-in-flight-budget.ts';
import { limitsOf } from './held-limits.ts';

// A call of `atlas` with 4,000 tokens out may cost 0.12 USD.
const own = { ...atlas, credential: testCredential() };
const invoice = { billingMode: 'invoice' } as const;

/** Counts what is asked of a budget. */
function counting(clock: { now: () => number }) {
  const budget = new MemoryInFlightBudget(clock);
  const asked: string[] = [];
  const note = <Name extends 'hold' | 'settle' | 'charge'>(name: Name): InFlightBudget[Name] =>
    ((...given: never[]) => {
      asked.push(name);
      return (budget[name] as (...all: never[]) => unknown)(...given);
    }) as InFlightBudget[Name];
  const inFlightBudget: InFlightBudget = {
    hold: note('hold'),
    settle: note('settle'),
    charge: note('charge'),
    raise: (...given) => budget.raise(...given),
    renew: (...given) => budget.renew(...given),
    sweep: () => budget.sweep(),
    inFlight: (accountId) => budget.inFlight(accountId),
    look: (...given) => budget.look(...given),
  };
  return { asked, inFlightBudget };
}

function shown(refusal: HeadgateError | undefined) {
  const { limit_source, reason } = refusal?.metadata ?? {};
  return (
    refusal && [refusal.status, limit_source, reason, refusal.retryAfter, refusal.headers['x-should-retry']]
  );
}

const reserved = [402, 'service_key_limit', 'limit_reserved', 1, 'true'];
const usedUp = [402, 'service_key_limit', undefined, undefined, undefined];

test('a caller without limits asks nothing of the shared state that it did not ask before', async () => {
  const one = begin(0, { account: invoice });
  const { asked, inFlightBudget } = counting(one.clock);
  const spending = one.open(4_000, { inFlightBudget });
  assert.equal(spending.admit(atlas), undefined, 'it does not even wait');
  assert.equal(spending.settle(usd(1)), undefined);
  assert.deepEqual(asked, []);
});

test('a prepaid account and its limits are held in one call and settled in one', async () => {
  const one = begin(10, { key: { limit: usd('0.2') } });
  const { asked, inFlightBudget } = counting(one.clock);
  const [first, second, third] = [1, 2, 3].map(() => one.open(4_000, { inFlightBudget }));
  assert.ok(first && second && third);
  assert.equal(await first.admit(atlas), undefined);
  assert.equal(await second.admit(atlas), undefined, 'it holds the rest, 0.08');
  assert.equal(await inFlightBudget.inFlight(one.caller.account.id), usd('0.24'));
  assert.deepEqual(shown(await third.admit(atlas)), reserved);
  await first.settle(usd('0.05'));
  assert.deepEqual(asked, ['hold', 'hold', 'hold', 'settle']);
  assert.equal(await third.admit(atlas), undefined);
  await second.settle(usd('0.12'));
  await third.settle(usd('0.07'));
  assert.deepEqual(shown(await one.open(4_000, { inFlightBudget }).admit(atlas)), usedUp);
});

test('an account whose budget holds nothing counts no charge in it', async () => {
  const one = begin(0, { account: invoice, key: { limit: usd(1) } });
  const spending = one.open(4_000);
  await spending.admit(atlas);
  await spending.settle(usd('0.12'));
  assert.equal(await one.inFlight(), 0n);
});

test('free models hold nothing of a limit', async () => {
  const one = begin(0, { account: invoice, key: { limit: usd('0.1') } });
  await one.open(4_000).admit(atlas);
  assert.deepEqual(shown(await one.open(4_000).admit(atlas)), reserved);
  assert.equal(await one.open(4_000).admit(free), undefined);
});

test('own credentials hold their list cost of a limit that includes it, and of no other', async () => {
  const key = { limit: usd('0.2') };
  const apart = begin(0, { account: invoice, key });
  const { asked, inFlightBudget } = counting(apart.clock);
  for (let call = 0; call < 5; call += 1) {
    assert.equal(await apart.open(4_000, { inFlightBudget }).admit(own), undefined);
  }
  assert.deepEqual(asked, []);
  const included = begin(0, { account: invoice, key: { ...key, includeByokInLimit: true } });
  const spending = included.open(4_000);
  assert.equal(await spending.admit(own), undefined);
  await included.open(4_000).admit(own);
  assert.deepEqual(shown(await included.open(4_000).admit(own)), reserved);
  await spending.settle(usd('0.01'), usd('0.19'));
  assert.deepEqual(
    shown(await included.open(4_000).admit(own)),
    usedUp,
    'both count: the fee and the list cost',
  );
});

test('the fee on an own credential counts in a limit of which nothing was held', async () => {
  const one = begin(0, { account: invoice, key: { limit: usd('0.13') } });
  await one.open(4_000).admit(atlas);
  const spending = one.open(4_000);
  await spending.admit(own);
  await spending.settle(usd('0.13'), usd(2));
  assert.deepEqual(shown(await one.open(4_000).admit(atlas)), usedUp);
});

test('a fallback takes what is left, and one to what costs nothing gives back what was held', async () => {
  const one = begin(0, { account: invoice, key: { limit: usd('0.12') } });
  const spending = one.open(4_000);
  await spending.admit(atlas);
  const dearer = { ...atlas, endpoint: { ...atlas.endpoint, maxCompletionTokens: 3_999 } };
  assert.equal(await spending.admit(dearer), undefined);
  assert.equal(await spending.admit(free), undefined);
  assert.equal(await one.open(4_000).admit(atlas), undefined);
  assert.deepEqual(shown(await spending.admit(atlas)), reserved, 'others hold it now');
});

test('budgets come before the limit of the key, and of two of one kind the smaller one decides', () => {
  const { caller } = begin(0, { key: { limit: usd(1), limitReset: 'daily' } });
  const spend = () => caller.spend;
  const budget = {
    scope: 'api_key',
    source: 'guardrail-a',
    subject: 'key:a',
    interval: 'daily',
    includeByok: false,
    spend,
  } as const;
  const budgets = [
    { ...budget, limit: usd(5) },
    { ...budget, limit: usd(3) },
    { ...budget, limit: usd(4), interval: 'monthly' as const },
  ];
  const limits = limitsOf({ ...caller, budgets })?.map(({ id, limit }) => [id, limit]);
  assert.deepEqual(limits, [
    ['api_key/key:a/daily', usd(3)],
    ['api_key/key:a/monthly', usd(4)],
    [`limit/${caller.key.hash}/daily`, usd(1)],
  ]);
  assert.equal(limitsOf(begin(0).caller), undefined);
});

test('away from the shared state a caller with limits is refused with 503', async () => {
  const one = begin(0, { account: invoice, key: { limit: usd(1) } });
  const { inFlightBudget } = counting(one.clock);
  const away = { ...inFlightBudget, hold: () => Promise.reject(new Error('no answer')) };
  assert.equal((await one.open(4_000, { inFlightBudget: away }).admit(atlas))?.status, 503);
});
