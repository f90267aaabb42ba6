import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseUsd } from '../../src/core/money.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { HoldTerms, InFlightBudget } from '../../src/ports/in-flight-budget.ts';
import { unique } from './fixtures.ts';

/** Makes a budget that goes by this clock; what it opens is closed when the test is over. */
export type OpenBudget = (
  clock: Clock,
  test: { after: (cleanUp: () => Promise<void>) => void },
) => Promise<InFlightBudget>;

const usd = parseUsd;
const lease = 900_000;
const settlementWindow = 120_000;
const terms = (budget: string | number): HoldTerms => ({ budget: usd(budget), lease, settlementWindow });

/** A budget, a clock to set, and one account's calls. */
async function begin(open: OpenBudget, t: Parameters<OpenBudget>[1]) {
  const clock = { time: 1_000_000, now: () => clock.time };
  const budget = await open(clock, t);
  const accountId = unique('user_');
  const id = (requestId: string) => ({ accountId, requestId });
  return {
    clock,
    budget,
    id,
    hold: (requestId: string, amount: string | number, of: string | number) =>
      budget.hold(id(requestId), usd(amount), terms(of)),
    settle: (requestId: string, charge: string | number) =>
      budget.settle(id(requestId), usd(charge), settlementWindow),
    inFlight: () => budget.inFlight(accountId),
  };
}

const held = { held: true };
const refused = (retryAfter: number) => ({ held: false, retryAfter });

/** What every InFlightBudget must do (docs/spec/money.md#in-flight-budget). */
export function describeInFlightBudget(name: string, open: OpenBudget): void {
  describe(`in-flight budget: ${name}`, () => {
    describeHolds(open);
    describeWaits(open);
    describeEnds(open);
  });
}

/** What a budget must do that keeps notes for who closes the records of lapsed requests. */
export function describeHoldNotes(name: string, open: OpenBudget): void {
  describe(`notes of holds: ${name}`, () => {
    test('what was noted first is told when nobody came back, whatever became of the hold meanwhile', async (t) => {
      const { budget, clock, id } = await begin(open, t);
      const note = '["Grüße", "a\\b", 1]';
      await budget.hold(id('a'), usd(1), { ...terms(9), note });
      await budget.hold(id('a'), usd(2), { ...terms(9), note: 'another' });
      await budget.raise(id('a'), usd(3), lease);
      await budget.hold(id('b'), usd(1), { ...terms(9), note: 'settled' });
      await budget.hold(id('c'), usd(1), terms(9));
      await budget.settle(id('b'), usd(1), settlementWindow);
      clock.time += lease - 1;
      await budget.renew([id('a'), id('c')], lease);
      clock.time += lease;
      const lapsed = [...(await budget.sweep())].sort((one, other) =>
        one.requestId < other.requestId ? -1 : 1,
      );
      assert.deepEqual(lapsed, [{ ...id('a'), note }, id('c')]);
    });

    test('what was let go of notes nothing for a hold of the same name', async (t) => {
      const { budget, clock, id } = await begin(open, t);
      await budget.hold(id('a'), usd(1), { ...terms(9), note: 'first' });
      await budget.hold(id('a'), usd(0), terms(9));
      await budget.hold(id('a'), usd(1), terms(9));
      clock.time += lease;
      assert.deepEqual(await budget.sweep(), [id('a')]);
    });
  });
}

function describeHolds(open: OpenBudget): void {
  test('as many holds fit as the budget has room for, all asked for at once', async (t) => {
    const one = await begin(open, t);
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, index) => one.hold(`r${index}`, '0.12', 5)),
    );
    assert.equal(outcomes.filter((outcome) => outcome.held).length, 41, '41 x 0.12 = 4.92');
    assert.equal(await one.inFlight(), usd('4.92'));
  });

  test('running holds are named, those that lapse first first, beside what is settling', async (t) => {
    const one = await begin(open, t);
    const account = one.id('').accountId;
    assert.deepEqual(await one.budget.look(account, 10), { total: 0n, running: 0, holds: [] });
    await one.hold('b', 2, 9);
    one.clock.time += 1_000;
    await one.budget.hold(one.id('a'), usd(1), { ...terms(9), note: '["Grüße"]' });
    await one.hold('c', 3, 9);
    await one.settle('c', '0.5');
    const named = [
      { requestId: 'b', amount: usd(2), leaseLeft: lease - 1_000 },
      { requestId: 'a', amount: usd(1), leaseLeft: lease, note: '["Grüße"]' },
    ];
    assert.deepEqual(await one.budget.look(account, 10), { total: usd('3.5'), running: 2, holds: named });
    const some = await one.budget.look(account, 1);
    assert.deepEqual([some.running, some.holds], [2, named.slice(0, 1)]);
    one.clock.time += lease;
    assert.deepEqual((await one.budget.look(account, 10)).holds, []);
  });

  test('equality fits', async (t) => {
    const one = await begin(open, t);
    assert.deepEqual(await one.hold('a', '0.12', '0.24'), held);
    assert.deepEqual(await one.hold('b', '0.12', '0.24'), held);
    assert.deepEqual(await one.hold('c', '0.000000001', '0.24'), refused(120));
  });

  test('a dearer fallback is held beside all others, or changes nothing', async (t) => {
    const one = await begin(open, t);
    await one.hold('others', '4.85', 5);
    assert.deepEqual(await one.hold('a', '0.12', 5), held);
    assert.deepEqual(await one.hold('a', '0.20', 5), refused(120));
    assert.equal(await one.inFlight(), usd('4.97'));
    assert.deepEqual(await one.hold('a', '0.15', 5), held);
    assert.equal(await one.inFlight(), usd(5));
  });

  test('what does not grow always fits; zero lets go', async (t) => {
    const one = await begin(open, t);
    await one.hold('a', 3, 5);
    assert.deepEqual(await one.hold('a', 2, 1), held, 'the budget fell meanwhile');
    assert.equal(await one.inFlight(), usd(2));
    assert.deepEqual(await one.hold('a', 0, 1), held);
    assert.equal(await one.inFlight(), 0n);
  });

  test('a request that runs is raised without being asked', async (t) => {
    const one = await begin(open, t);
    await one.hold('a', 1, 1);
    await one.budget.raise(one.id('a'), usd(7), lease);
    assert.equal(await one.inFlight(), usd(7));
    assert.deepEqual(await one.hold('b', '0.01', 5), refused(120));
  });

  test('case 5: before each further call a request holds its cost so far and the next call, and settles once', async (t) => {
    const one = await begin(open, t);
    await one.hold('others', '4.80', 5);
    assert.deepEqual(await one.hold('a', '0.12', 5), held);
    // Each call cost 0.05 where 0.12 had been presumed.
    for (const [call, amount] of ['0.17', '0.22', '0.27', '0.32'].entries()) {
      one.clock.time += lease - 2;
      await one.budget.renew([one.id('others')], lease);
      one.clock.time += 1;
      await one.budget.raise(one.id('a'), usd(amount), lease);
      assert.equal(
        await one.inFlight(),
        usd('4.80') + usd(amount),
        `call ${call + 2}, beyond the budget or not`,
      );
      assert.deepEqual(await one.hold('b', '0.21', 5), refused(120), 'others are asked as ever');
    }
    one.clock.time += lease - 1;
    assert.deepEqual(await one.budget.sweep(), [one.id('others')], 'each raise began the lease anew');
    await one.settle('a', '0.25');
    assert.equal(await one.inFlight(), usd('0.25'));
    one.clock.time += settlementWindow;
    assert.equal(await one.inFlight(), 0n);
  });

  test('a request whose hold was let go of, or had lapsed, is raised all the same', async (t) => {
    const one = await begin(open, t);
    await one.budget.raise(one.id('a'), usd(1), lease);
    assert.equal(await one.inFlight(), usd(1));
    one.clock.time += lease;
    assert.deepEqual(await one.budget.sweep(), [one.id('a')]);
    await one.budget.raise(one.id('a'), usd(2), lease);
    assert.equal(await one.inFlight(), usd(2));
    await one.budget.raise(one.id('a'), usd(0), lease);
    assert.equal(await one.inFlight(), 0n);
  });

  test('accounts do not share', async (t) => {
    const one = await begin(open, t);
    await one.hold('a', 5, 5);
    const other = { accountId: unique('user_'), requestId: 'a' };
    assert.deepEqual(await one.budget.hold(other, usd(5), terms(5)), held);
    assert.equal(await one.inFlight(), usd(5));
  });
}

function describeWaits(open: OpenBudget): void {
  test('Retry-After is when enough settling charges are released', async (t) => {
    const one = await begin(open, t);
    for (const [requestId, amount] of [
      ['running', 3],
      ['first', 1],
      ['second', '0.95'],
    ] as const) {
      await one.hold(requestId, amount, 5);
    }
    await one.settle('first', 1);
    one.clock.time += 55_000;
    await one.settle('second', '0.95');
    one.clock.time += 50_000;
    assert.deepEqual(await one.hold('a', '0.12', 5), refused(15), 'need 0.07; 1 is released in 15 s');
    assert.deepEqual(await one.hold('b', 2, 5), refused(70), 'need 1.95; both are released in 70 s');
    assert.deepEqual(await one.hold('c', 3, 5), refused(120), 'need 2.95; they do not suffice');
    one.clock.time += 14_999;
    assert.deepEqual(await one.hold('a', '0.12', 5), refused(1), 'whole seconds, never below 1');
    one.clock.time += 1;
    assert.deepEqual(await one.hold('a', '0.12', 5), held);
  });

  test('with only running holds in the way it is the whole settlement window', async (t) => {
    const one = await begin(open, t);
    await one.hold('running', '4.95', 5);
    assert.deepEqual(await one.hold('a', '0.12', 5), refused(120));
  });
}

function describeEnds(open: OpenBudget): void {
  test('a settled hold counts as its charge until the settlement window is over', async (t) => {
    const one = await begin(open, t);
    await one.hold('a', '0.12', 5);
    await one.settle('a', '0.03');
    assert.equal(await one.inFlight(), usd('0.03'));
    one.clock.time += settlementWindow - 1;
    assert.equal(await one.inFlight(), usd('0.03'));
    one.clock.time += 1;
    assert.equal(await one.inFlight(), 0n);
  });

  test('a charge of zero is dropped at once, a second settlement changes nothing', async (t) => {
    const one = await begin(open, t);
    await one.hold('a', 1, 5);
    await one.settle('a', 0);
    assert.equal(await one.inFlight(), 0n);
    await one.hold('b', 1, 5);
    await one.settle('b', '0.5');
    await one.settle('b', '0.7');
    assert.equal(await one.inFlight(), usd('0.5'));
    await one.hold('b', 1, 5);
    await one.settle('b', '0.7');
    assert.equal(await one.inFlight(), usd('0.5'), 'nor does one after another hold');
  });

  test('a hold nobody renews lapses, is named once, and still settles its true charge', async (t) => {
    const one = await begin(open, t);
    await one.hold('dead', 1, 5);
    await one.hold('alive', 2, 5);
    one.clock.time += lease - 1;
    await one.budget.renew([one.id('alive')], lease);
    assert.equal(await one.inFlight(), usd(3));
    one.clock.time += 1;
    assert.equal(await one.inFlight(), usd(2));
    assert.deepEqual(await one.budget.sweep(), [one.id('dead')]);
    assert.deepEqual(await one.budget.sweep(), []);
    await one.budget.renew([one.id('dead')], lease);
    assert.equal(await one.inFlight(), usd(2), 'a lapsed hold stays so');
    await one.settle('dead', '0.4');
    assert.equal(await one.inFlight(), usd('2.4'), 'its process was merely paused');
  });

  test('a settlement window that was shortened meanwhile releases nothing too late', async (t) => {
    const one = await begin(open, t);
    await one.hold('a', 1, 5);
    await one.hold('b', 1, 5);
    await one.settle('a', 1);
    await one.budget.settle(one.id('b'), usd(1), 1_000);
    one.clock.time += settlementWindow;
    assert.equal(await one.inFlight(), 0n);
  });
}
