import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { defaultLimits } from '../../test/support/limits.ts';
import type { RateClaim } from '../ports/rate-limits.ts';
import { MemoryRateLimits } from '../shared-state/memory/memory-rate-limits.ts';
import { RateLeases, rateLease } from './rate-leases.ts';

const rules = defaultLimits.inFlightBudget;
const lease = rateLease(rules);
const claimOf = (requestId: string): RateClaim => ({
  requestId,
  tokens: 0,
  subjects: [{ kind: 'key', id: 'k1', parallel: 2 }],
  lease,
});

test('a lease lasts three renewals, and never longer than that of a hold', () => {
  assert.equal(lease, 90_000);
  assert.equal(rateLease({ ...rules, lease: 40_000 }), 40_000);
});

test('places that are kept never lapse, in whatever home; one that was dropped does', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = { time: 0, now: () => clock.time };
  const limits = new MemoryRateLimits(clock);
  const leases = new RateLeases(limits, () => rules, assert.ifError);
  t.after(() => leases.close());
  for (const home of ['a', 'b']) {
    for (const requestId of ['kept', 'dropped']) {
      const claim = claimOf(requestId);
      assert.ok((await limits.claim(home, claim)).admitted);
      const kept = leases.keep({ home, claim });
      if (requestId === 'dropped') leases.drop(kept);
    }
  }
  for (let count = 0; count < 10; count += 1) {
    clock.time += rules.leaseRenewal;
    t.mock.timers.tick(rules.leaseRenewal);
    await turn();
  }
  for (const home of ['a', 'b']) {
    assert.ok((await limits.claim(home, claimOf('new'))).admitted, 'the dropped one is free');
    assert.ok(!(await limits.claim(home, claimOf('newer'))).admitted, 'the kept one is not');
  }
});

test('a renewal that fails is reported, and the next one is made', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const limits = new MemoryRateLimits({ now: () => 0 });
  const renew = t.mock.method(limits, 'renew', async () => {
    throw new Error('away');
  });
  const failures: unknown[] = [];
  const leases = new RateLeases(
    limits,
    () => rules,
    (failure) => failures.push(failure),
  );
  leases.keep({ home: 'a', claim: claimOf('one') });
  for (let count = 1; count <= 2; count += 1) {
    t.mock.timers.tick(rules.leaseRenewal);
    await turn();
    await turn();
    assert.deepEqual([renew.mock.callCount(), failures.length], [count, count]);
  }
  leases.close();
  t.mock.timers.tick(rules.leaseRenewal);
  assert.equal(renew.mock.callCount(), 2);
});
