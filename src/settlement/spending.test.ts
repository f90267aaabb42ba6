import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestCaller, testCaller } from '../../test/support/caller.ts';
import { testCredential } from '../../test/support/credentials.ts';
import { defaultLimits } from '../../test/support/limits.ts';
import { atlas, begin, free, start, targetOf, usd } from '../../test/support/spending-account.ts';
import type { Endpoint } from '../core/catalogue.ts';
import type { HeadgateError } from '../core/errors.ts';
import { type NanoUsd, parsePricePerMillion, parsePricePerUnit } from '../core/money.ts';
import type { InFlightBudget } from '../ports/in-flight-budget.ts';
import type { Spending } from './spending.ts';

const day = 86_400_000;
const dear = targetOf({ price: { prompt: parsePricePerMillion(5), completion: parsePricePerMillion(25) } });

/** Admits calls until one is refused, and settles none. */
async function fill(one: ReturnType<typeof begin>, maxOutputTokens?: number) {
  for (let admitted = 0; ; admitted += 1) {
    const refusal = await one.open(maxOutputTokens).admit(atlas);
    if (refusal !== undefined) return { admitted, refusal };
  }
}

/** Charges a call as its bracket does: the balance falls, the hold becomes the charge. */
async function charge(caller: TestCaller, spending: Spending, amount: NanoUsd) {
  caller.funds.balance = (caller.funds.balance - amount) as NanoUsd;
  await spending.settle(amount);
}

function shown(refusal: HeadgateError | undefined) {
  if (refusal === undefined) return undefined;
  const { limit_source, reason } = refusal.metadata;
  assert.equal(typeof refusal.metadata.remedy_hint, 'string');
  assert.equal(refusal.type, 'payment_required');
  return [limit_source, reason, refusal.retryAfter];
}

const tooHeavy = ['service_credits', 'weight_exceeds_budget', undefined];
const noMoney = ['service_credits', undefined, undefined];
const full = (retryAfter: number) => ['service_in_flight_budget', 'in_flight_budget_exhausted', retryAfter];

test('balance 10, at most 4,000 out: 41 parallel calls fit, the 42nd does not', async () => {
  const one = begin(10);
  const { admitted, refusal } = await fill(one, 4_000);
  assert.equal(admitted, 41);
  assert.deepEqual(shown(refusal), full(120));
  assert.equal(await one.inFlight(), usd('4.92'));
});

test('balance 10, output unset or 64,000: 16,384 tokens are presumed and 16 calls fit', async () => {
  for (const maxOutputTokens of [undefined, 64_000]) {
    const one = begin(10);
    const { admitted, refusal } = await fill(one, maxOutputTokens);
    assert.equal(admitted, 16);
    assert.equal(await one.inFlight(), usd('4.89216'));
    assert.deepEqual(shown(refusal), full(120));
  }
});

test('balance 0.50: an unset output outweighs the whole budget, 4,000 fit twice', async () => {
  const one = begin('0.50');
  assert.deepEqual(shown(await one.open().admit(atlas)), tooHeavy);
  const { admitted, refusal } = await fill(one, 4_000);
  assert.equal(admitted, 2);
  assert.equal(await one.inFlight(), usd('0.24'));
  assert.deepEqual(shown(refusal), full(120));
});

test('a price that falls for longer prompts is asked about the prompt as it is, not as long as it may be', async () => {
  const cheaper = { prompt: parsePricePerMillion(0), completion: parsePricePerMillion(0) };
  const price = { prompt: parsePricePerMillion(3), completion: parsePricePerMillion(15) };
  const target = targetOf({ price: { ...price, overrides: [{ ...cheaper, minPromptTokens: 30_000 }] } });
  const poor = begin('0.119', { account: { inflightExempt: true } });
  assert.deepEqual(shown(await poor.open(4_000).admit(target)), noMoney);
  const rich = begin('0.12', { account: { inflightExempt: true } });
  assert.equal(await rich.open(4_000).admit(target), undefined);
});

test('balances 60 and 99.99 have 25 in flight at most, 100 has no budget', async () => {
  for (const [balance, admitted] of [
    [60, 208],
    ['99.99', 208],
  ] as const) {
    assert.equal((await fill(begin(balance), 4_000)).admitted, admitted, '208 x 0.12 = 24.96');
  }
  const rich = begin(100);
  for (let count = 0; count < 300; count += 1) assert.equal(await rich.open(4_000).admit(atlas), undefined);
  assert.equal(await rich.inFlight(), 0n);
});

test('a settled call counts with its charge for 120 s, and the budget follows the balance', async () => {
  const one = begin(10);
  const spending = one.open(4_000);
  assert.equal(await spending.admit(atlas), undefined);
  await charge(one.caller, spending, usd('0.03'));
  assert.equal(one.caller.funds.balance, usd('9.97'));
  assert.equal(await one.inFlight(), usd('0.03'));
  one.clock.time += 120_000;
  assert.equal(await one.inFlight(), 0n);
  const { admitted } = await fill(one, 4_000);
  assert.equal(admitted, 41, '41 x 0.12 = 4.92 fit the budget of 4.985');
});

test('table of docs/spec/money.md#refusals: what is refused, in whose name and for how long', async () => {
  const none = await begin(0).open(4_000).admit(atlas);
  assert.deepEqual(shown(none), noMoney, 'row 3');
  assert.deepEqual(shown(await begin(-1).open(4_000).admit(atlas)), noMoney, 'row 1, met on the way');
  assert.deepEqual(shown(await begin('0.2').open(4_000).admit(atlas)), tooHeavy, 'row 4: 0.12 > 0.10');
  const exempt = begin('0.1', { account: { inflightExempt: true } });
  assert.deepEqual(shown(await exempt.open(4_000).admit(atlas)), noMoney, 'row 6: 0.12 > 0.10');
  const covered = begin('0.12', { account: { inflightExempt: true } });
  assert.equal(await covered.open(4_000).admit(atlas), undefined, 'equality is covered');
  assert.equal(await begin(0).open(4_000).admit(free), undefined, 'free models need no credits');
});

test('who pays later, is exempt or established has no budget; without either of age and spend it applies', async () => {
  const subject = async (change: Parameters<typeof testCaller>[1]) => {
    const one = begin(10, change);
    await one.open(4_000).admit(atlas);
    return (await one.inFlight()) > 0n;
  };
  const old = { createdAt: start - 30 * day };
  const spender = { funds: { spentTotal: usd(50) } };
  assert.equal(await subject({}), true);
  for (const billingMode of ['invoice', 'subscription', 'enterprise'] as const) {
    assert.equal(await subject({ account: { billingMode } }), false);
  }
  assert.equal(await subject({ account: { inflightExempt: true } }), false);
  assert.equal(await subject({ ...old, ...spender }), false);
  assert.equal(await subject({ createdAt: start - 30 * day + 1, ...spender }), true);
  assert.equal(await subject({ ...old, funds: { spentTotal: usd('49.999999999') } }), true);
  const inFlightBudget = { ...defaultLimits.inFlightBudget, enabled: false };
  const one = begin(10);
  await one.open(4_000, { limits: () => ({ ...defaultLimits, inFlightBudget }) }).admit(atlas);
  assert.equal(await one.inFlight(), 0n, 'switched off');
});

test('case 1: a dearer fallback that does not fit is passed over, one that fits is held in its stead', async () => {
  const one = begin(10);
  const others = { accountId: one.caller.account.id, requestId: 'others' };
  const terms = { budget: usd(5), lease: 900_000, settlementWindow: 120_000 };
  await one.services.inFlightBudget.hold(others, usd('4.85'), terms);
  const spending = one.open(4_000);
  assert.equal(await spending.admit(atlas), undefined);
  assert.equal(await one.inFlight(), usd('4.97'));
  assert.deepEqual(shown(await spending.admit(dear)), full(120), '4.85 + 0.20 > 5');
  assert.equal(await one.inFlight(), usd('4.97'));
  await one.services.inFlightBudget.hold(others, usd('4.80'), terms);
  assert.equal(await spending.admit(dear), undefined);
  assert.equal(await one.inFlight(), usd(5));
});

test('case 1: too dear for the whole budget is a misfit too, once another endpoint was tried', async () => {
  const one = begin('0.30');
  const spending = one.open(4_000);
  assert.equal(await spending.admit(atlas), undefined);
  assert.deepEqual(shown(await spending.admit(dear)), full(120));
});

test('case 2: the first endpoint decides, not the dearest', async () => {
  const one = begin('0.30');
  assert.equal(await one.open(4_000).admit(atlas), undefined);
  assert.equal(await one.inFlight(), usd('0.12'));
});

test('case 3: with an own credential first, the hold is taken when a shared endpoint is due', async () => {
  const one = begin(10);
  const spending = one.open(4_000);
  assert.equal(await spending.admit({ ...dear, credential: testCredential() }), undefined);
  assert.equal(await one.inFlight(), 0n);
  assert.equal(await spending.admit(dear), undefined);
  assert.equal(await one.inFlight(), usd('0.20'));
  const poor = begin(0);
  const refused = poor.open(4_000);
  assert.equal(
    await refused.admit({ ...atlas, credential: testCredential() }),
    undefined,
    'needs no credits',
  );
  assert.deepEqual(shown(await refused.admit(atlas)), noMoney, 'the shared one is passed over');
});

test('case 4: a free variant holds nothing, and lets go of what was held before it', async () => {
  const one = begin(10);
  const spending = one.open(4_000);
  await spending.admit(free);
  assert.equal(await one.inFlight(), 0n);
  await spending.admit(atlas);
  assert.equal(await one.inFlight(), usd('0.12'));
  await spending.admit(free);
  assert.equal(await one.inFlight(), 0n);
});

test('case 6: holds stay when the balance changes, new calls see the new budget at once', async () => {
  const one = begin(10);
  await fill(one, 4_000);
  one.caller.funds.balance = usd(1);
  assert.equal(await one.inFlight(), usd('4.92'));
  assert.deepEqual(shown(await one.open(4_000).admit(atlas)), full(120));
  one.caller.funds.balance = usd(20);
  assert.equal(await one.open(4_000).admit(atlas), undefined);
});

test('case 7: a call that cost nothing frees its hold at once', async () => {
  const one = begin(10);
  const spending = one.open(4_000);
  await spending.admit(atlas);
  await spending.settle(usd(0));
  assert.equal(await one.inFlight(), 0n);
});

test('case 8: the hold of a dead process lapses; a paused one still settles', async () => {
  const one = begin(10);
  const spending = one.open(4_000);
  await spending.admit(atlas);
  one.clock.time += 900_000;
  assert.equal(await one.inFlight(), 0n);
  await charge(one.caller, spending, usd('0.1'));
  assert.equal(await one.inFlight(), usd('0.1'));
});

test('case 9: with the shared state away accounts with a budget get 503, others pass', async () => {
  const away = () => Promise.reject(new Error('no answer'));
  const inFlightBudget: InFlightBudget = {
    hold: away,
    raise: away,
    settle: away,
    charge: away,
    renew: away,
    sweep: away,
    inFlight: away,
    look: away,
  };
  const refusal = await begin(10).open(4_000, { inFlightBudget }).admit(atlas);
  assert.deepEqual([refusal?.status, refusal?.code], [503, 'service_unavailable']);
  assert.equal(await begin(100).open(4_000, { inFlightBudget }).admit(atlas), undefined);
  assert.equal(await begin(10).open(4_000, { inFlightBudget }).admit(free), undefined);
  const freeRequests = { count: away, look: away, countedToday: away };
  const uncounted = begin(10).open(4_000, { freeRequests });
  assert.equal((await uncounted.admit(free))?.status, 503);
  assert.equal(await uncounted.admit(atlas), undefined, 'a paid endpoint may take over');
});

test('while charges cannot be booked paid calls are refused for everybody, free ones pass', async () => {
  const canCharge = () => false;
  for (const billingMode of ['prepaid', 'invoice'] as const) {
    const one = begin(100, { account: { billingMode } });
    assert.equal((await one.open(4_000, { canCharge }).admit(atlas))?.status, 503);
    assert.equal(await one.open(4_000, { canCharge }).admit(free), undefined);
  }
});

test('the worst case uses the prices in effect and the limits of the endpoint, and tokens only', async () => {
  const price = atlas.endpoint.price;
  assert.ok(price);
  const cases: [Partial<Endpoint>, number | undefined, string][] = [
    [{ maxCompletionTokens: 1_000 }, undefined, '0.075'],
    [{ maxCompletionTokens: 32_000 }, 64_000, '0.30576'],
    [{ price: { ...price, request: parsePricePerUnit(1), image: parsePricePerUnit(1) } }, 4_000, '0.12'],
    [
      { price: { ...price, overrides: [{ minPromptTokens: 19_999, prompt: parsePricePerMillion(4) }] } },
      4_000,
      '0.14',
    ],
    [{ price: { ...price, cacheRead: parsePricePerMillion(1) } }, 4_000, '0.12'],
  ];
  for (const [fields, maxOutputTokens, amount] of cases) {
    const one = begin(10);
    await one.open(maxOutputTokens).admit(targetOf(fields));
    assert.equal(await one.inFlight(), usd(amount));
  }
});
