import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultLimits } from '../../test/support/limits.ts';
import type { NanoUsd } from '../core/money.ts';
import type { HoldId } from '../ports/in-flight-budget.ts';
import { MemoryInFlightBudget } from '../shared-state/memory/memory-in-flight-budget.ts';
import { LeaseKeeper } from './lease-keeper.ts';

const rules = defaultLimits.inFlightBudget;
const id = (requestId: string): HoldId => ({ accountId: 'user_1', requestId });
const amount = 7n as NanoUsd;
const terms = { budget: 100n as NanoUsd, lease: rules.lease, settlementWindow: rules.settlementWindow };

async function begin() {
  const clock = { time: 0, now: () => clock.time };
  const budget = new MemoryInFlightBudget(clock);
  const told: { ids: readonly HoldId[]; failure: unknown }[] = [];
  const keeper = new LeaseKeeper(
    budget,
    () => rules,
    (ids, failure) => told.push({ ids, failure }),
  );
  return { clock, budget, keeper, told };
}

test('a hold that is kept never lapses; one that was dropped does, and is told', async (t) => {
  const { clock, budget, keeper, told } = await begin();
  t.after(() => keeper.close());
  const kept = id('kept');
  const dropped = id('dropped');
  for (const one of [kept, dropped]) await budget.hold(one, amount, terms);
  keeper.keep(kept);
  keeper.drop(keeper.keep(dropped));
  for (let time = 0; time < 2 * rules.lease; time += rules.leaseRenewal) {
    clock.time += rules.leaseRenewal;
    await keeper.tend();
  }
  assert.equal(await budget.inFlight('user_1'), amount);
  assert.deepEqual(told, [{ ids: [dropped], failure: undefined }]);
});

test('it renews by itself as often as the rules say, until it is closed', async (t) => {
  const { budget } = await begin();
  const renew = t.mock.method(budget, 'renew');
  const often = { ...rules, leaseRenewal: 2 };
  const keeper = new LeaseKeeper(
    budget,
    () => often,
    () => {},
  );
  keeper.keep(id('a'));
  while (renew.mock.callCount() < 3) await sleep(1);
  keeper.close();
  await sleep(10);
  const before = renew.mock.callCount();
  await sleep(20);
  assert.equal(renew.mock.callCount(), before);
});

test('a failure to renew is told and does not end it', async (t) => {
  const { clock, budget, keeper, told } = await begin();
  t.after(() => keeper.close());
  await budget.hold(id('a'), amount, terms);
  keeper.keep(id('a'));
  const failure = new Error('no answer');
  t.mock.method(budget, 'renew', () => Promise.reject(failure), { times: 1 });
  await keeper.tend();
  assert.deepEqual(told, [{ ids: [], failure }]);
  clock.time += rules.lease - 1;
  await keeper.tend();
  clock.time += rules.lease - 1;
  assert.equal(await budget.inFlight('user_1'), amount);
});

test('it sweeps though nothing is held here: the process that held may have been the only one', async (t) => {
  const { budget } = await begin();
  const swept = t.mock.method(budget, 'sweep');
  const often = { ...rules, leaseRenewal: 2 };
  const keeper = new LeaseKeeper(
    budget,
    () => often,
    () => {},
  );
  t.after(() => keeper.close());
  while (swept.mock.callCount() < 3) await sleep(1);
});

test('what cannot be swept while nothing is held here is told by nobody', async (t) => {
  const { budget, keeper, told } = await begin();
  t.after(() => keeper.close());
  t.mock.method(budget, 'sweep', () => Promise.reject(new Error('no answer')));
  await keeper.tend();
  assert.deepEqual(told, []);
});

test('shorter leases are renewed in time from the moment they are the rule', async (t) => {
  const { budget } = await begin();
  const renew = t.mock.method(budget, 'renew');
  const current = { rules: { ...rules, leaseRenewal: 3_600_000 } };
  const keeper = new LeaseKeeper(
    budget,
    () => current.rules,
    () => {},
  );
  t.after(() => keeper.close());
  keeper.keep(id('a'));
  current.rules = { ...rules, lease: 100, leaseRenewal: 2 };
  keeper.rulesChanged();
  while (renew.mock.callCount() < 3) await sleep(1);
});
