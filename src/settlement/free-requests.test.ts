import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { testCaller } from '../../test/support/caller.ts';
import { begin, free, start, targetOf, usd } from '../../test/support/spending-account.ts';
import type { HeadgateError } from '../core/errors.ts';

test('a free request is counted once, whatever it goes on to try', async () => {
  const one = begin(10);
  const spending = one.open(4_000);
  assert.equal(await spending.countFree(), undefined);
  await spending.admit(free);
  await spending.admit(targetOf({}, 'globex/ibis:free'));
  assert.equal(await one.services.freeRequests.countedToday(one.caller.account.id), 1);
});

test('free requests beyond the minute and the day are refused with their limit and its end', async () => {
  const one = begin(10);
  const refusals: HeadgateError[] = [];
  for (let minute = 0; minute < 4; minute += 1) {
    for (let count = 0; count < 21; count += 1) {
      const refusal = await one.open().countFree();
      if (refusal !== undefined) refusals.push(refusal);
    }
    one.clock.time += 60_000;
  }
  const [first] = refusals;
  assert.equal(first?.metadata.limit_source, 'service_free_tier_minute');
  assert.equal(first?.retryAfter, 60);
  assert.deepEqual(first?.headers, {
    'x-ratelimit-limit': '20',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(start + 60_000),
  });
  const last = refusals.at(-1);
  const untilMidnight = (Date.UTC(2026, 10, 19) - start) / 1000 - 180;
  assert.equal(last?.metadata.limit_source, 'service_free_tier_daily');
  assert.deepEqual([last?.status, last?.type, last?.retryAfter], [429, 'rate_limit_exceeded', untilMidnight]);
  assert.deepEqual(last?.headers, {
    'x-ratelimit-limit': '50',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Date.UTC(2026, 10, 19)),
  });
  assert.equal(await one.services.freeRequests.countedToday(one.caller.account.id), 50);
});

test('from 9 USD purchased a day has 1000 free requests; exempt accounts have no limit but a count', async () => {
  const made = async (change: Parameters<typeof testCaller>[1]) => {
    const one = begin(10, change);
    let counted = 0;
    for (let count = 0; count < 1_100; count += 1) {
      if (count % 20 === 0) one.clock.time += 60_000;
      if ((await one.open(undefined, {}, {}).countFree()) === undefined) counted += 1;
    }
    assert.equal(await one.services.freeRequests.countedToday(one.caller.account.id), counted);
    return counted;
  };
  // 1,100 requests take 55 minutes: all on one day.
  assert.equal(await made({ funds: { purchasedTotal: usd('8.999999999') } }), 50);
  assert.equal(await made({ funds: { purchasedTotal: usd(9) } }), 1000);
  assert.equal(await made({ account: { freeLimitExempt: true } }), 1_100);
});
