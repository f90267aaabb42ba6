import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { defaultLimits } from '../../test/support/limits.ts';
import type { NanoUsd } from '../core/money.ts';
import type { HoldId } from '../ports/in-flight-budget.ts';
import { MemoryInFlightBudget } from '../shared-state/memory/memory-in-flight-budget.ts';
import { LeaseKeeper } from './lease-keeper.ts';

const rules = defaultLimits.inFlightBudget;
const id = (requestId: string): HoldId => ({ accountId: 'user_1', requestId });
const amount = 7n as NanoUsd;
const terms = { budget: 100n as NanoUsd, lease: rules.lease, settlementWindow: rules.settlementWindow };

async function begin(t: TestContext, rulesNow = () => rules) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = { time: 0, now: () => clock.time };
  const budget = new MemoryInFlightBudget(clock);
  const told: { ids: readonly HoldId[]; failure: unknown }[] = [];
  const keeper = new LeaseKeeper(budget, rulesNow, (ids, failure) => told.push({ ids, failure }));
  t.after(() => keeper.close());
  const renew = t.mock.method(budget, 'renew');
  /** Waits as long as the rules say between two renewals, `times` times. */
  const wait = async (times = 1) => {
    for (let time = 0; time < times; time += 1) {
      t.mock.timers.tick(rules.leaseRenewal);
      await turn();
    }
  };
  return { clock, budget, keeper, told, renew, wait };
}

test('a hold that is kept never lapses; one that was dropped does, and is told', async (t) => {
  const { clock, budget, keeper, told } = await begin(t);
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
  const { keeper, renew, wait } = await begin(t);
  keeper.keep(id('a'));
  await wait(3);
  assert.equal(renew.mock.callCount(), 3);
  keeper.close();
  await wait();
  assert.equal(renew.mock.callCount(), 3);
});

test('a failure to renew is told and does not end it', async (t) => {
  const { clock, budget, keeper, told } = await begin(t);
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
  const { budget, wait } = await begin(t);
  const swept = t.mock.method(budget, 'sweep');
  await wait(3);
  assert.equal(swept.mock.callCount(), 3);
});

test('what cannot be swept while nothing is held here is told by nobody', async (t) => {
  const { budget, keeper, told } = await begin(t);
  t.mock.method(budget, 'sweep', () => Promise.reject(new Error('no answer')));
  await keeper.tend();
  assert.deepEqual(told, []);
});

test('shorter leases are renewed in time from the moment they are the rule', async (t) => {
  let current = { ...rules, leaseRenewal: 10 * rules.leaseRenewal };
  const { keeper, renew, wait } = await begin(t, () => current);
  keeper.keep(id('a'));
  await wait(2);
  assert.equal(renew.mock.callCount(), 0);
  current = rules;
  keeper.rulesChanged();
  await wait(2);
  assert.equal(renew.mock.callCount(), 2);
});
