import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseUsd } from '../../src/core/money.ts';
import type { Clock } from '../../src/ports/clock.ts';
import {
  type HoldTerms,
  type InFlightBudget,
  type LimitTerms,
  limitMemory,
} from '../../src/ports/in-flight-budget.ts';
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
    describeLimits(open);
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

/** A limit of 5 USD of the first window. */
const limitOf = (amount: string | number, change: Partial<LimitTerms> = {}): LimitTerms => ({
  id: 'a',
  window: 1,
  limit: usd(5),
  spent: usd(0),
  amount: usd(amount),
  ...change,
});

/** A budget whose holds count in limits and nowhere else. */
async function beginLimited(open: OpenBudget, t: Parameters<OpenBudget>[1]) {
  const one = await begin(open, t);
  const take = (requestId: string, limits: readonly LimitTerms[], change: Partial<HoldTerms> = {}) =>
    one.budget.hold(one.id(requestId), usd(0), { ...terms(0), limits, ...change });
  const end = (requestId: string, amount: string | number, change: Partial<LimitTerms> = {}) =>
    one.budget.settle(one.id(requestId), usd(0), settlementWindow, [limitOf(amount, change)]);
  return { ...one, take, end };
}

/** What is held of each limit. */
const taken = (...amounts: readonly (string | number)[]) => ({ held: true, amounts: amounts.map(usd) });
const full = (limit: string, spent: string | number) => ({ held: false, limit, spent: usd(spent) });
function seen(outcome: Awaited<ReturnType<InFlightBudget['hold']>>) {
  if (!outcome.held) return outcome;
  return { held: true, amounts: outcome.shares?.map(({ amount }) => amount) };
}

function describeLimits(open: OpenBudget): void {
  test('requests hold what they need of a limit, the last one what is left, and no further one fits', async (t) => {
    const one = await beginLimited(open, t);
    assert.deepEqual(seen(await one.take('a', [limitOf(2, { spent: usd('0.5') })])), taken(2));
    assert.deepEqual(seen(await one.take('b', [limitOf(2, { spent: usd('0.5') })])), taken(2));
    assert.deepEqual(seen(await one.take('c', [limitOf(2, { spent: usd('0.5') })])), taken('0.5'));
    assert.deepEqual(await one.take('d', [limitOf(2, { spent: usd('0.5') })]), full('a', '0.5'));
    assert.deepEqual(seen(await one.take('d', [limitOf(2)], { isBegun: true })), taken(0));
    assert.equal(await one.inFlight(), 0n, 'the account has no budget');
    assert.deepEqual(await one.take('e', [limitOf(1, { limit: usd('0.5') })]), full('a', '0.5'), 'used up');
  });

  test('a charge counts in what was spent as soon as its hold has ended, and never twice', async (t) => {
    const one = await beginLimited(open, t);
    await one.take('a', [limitOf(4)]);
    await one.end('a', 3);
    await one.end('a', 3);
    // A process that has not read the charge yet.
    assert.deepEqual(seen(await one.take('b', [limitOf(4)])), taken(2));
    // One that has.
    assert.deepEqual(await one.take('c', [limitOf(4, { spent: usd(3) })]), full('a', 3));
    await one.end('b', 1);
    assert.deepEqual(seen(await one.take('c', [limitOf(4, { spent: usd(3) })])), taken(1));
    assert.deepEqual(await one.take('d', [limitOf(4, { spent: usd(4) })]), full('a', 4));
  });

  test('what a hold says to be spent counts beside charges of no hold: fees, and what other ways have booked', async (t) => {
    const one = await beginLimited(open, t);
    const account = one.id('').accountId;
    await one.budget.charge(account, [limitOf(1)]);
    assert.deepEqual(
      seen(await one.take('a', [limitOf(1, { spent: usd(2) })])),
      taken(1),
      'unknown until now',
    );
    await one.budget.charge(account, [limitOf('0.5')]);
    await one.end('a', 1);
    assert.deepEqual(seen(await one.take('a', [limitOf(9, { spent: usd(2) })])), taken('1.5'));
    await one.end('a', 0);
    assert.deepEqual(seen(await one.take('a', [limitOf(9, { spent: usd(4) })])), taken(1), 'nothing runs');
  });

  test('several limits are held together or not at all, in one step with the account', async (t) => {
    const one = await beginLimited(open, t);
    const both = [limitOf(2), limitOf(2, { id: 'b', limit: usd(3) })];
    assert.deepEqual(seen(await one.take('a', both)), taken(2, 2));
    assert.deepEqual(seen(await one.take('b', both)), taken(2, 1));
    assert.deepEqual(await one.take('c', both), full('b', 0));
    assert.deepEqual(
      seen(await one.budget.hold(one.id('d'), usd(1), { ...terms(0), limits: [limitOf(2)] })),
      refused(120),
    );
    assert.deepEqual(seen(await one.take('d', [limitOf(2)])), taken(1), 'the refused one held nothing');
    await one.end('b', 0);
    assert.deepEqual(seen(await one.take('c', both)), taken(2, 1));
  });

  test('a hold is resized at another endpoint and never refused for that; a trial holds nothing', async (t) => {
    const one = await beginLimited(open, t);
    await one.take('a', [limitOf(2)]);
    assert.deepEqual(seen(await one.take('t', [limitOf(3)], { isTrial: true })), taken(3));
    await one.take('b', [limitOf(2)]);
    assert.deepEqual(seen(await one.take('b', [limitOf(9)])), taken(3));
    assert.deepEqual(seen(await one.take('a', [limitOf(9)])), taken(2));
    assert.deepEqual(seen(await one.take('a', [limitOf(1)])), taken(1));
    await one.hold('b', 0, 0);
    assert.deepEqual(seen(await one.take('c', [limitOf(9)])), taken(4), 'b has moved to what costs nothing');
  });

  test('what a lapsed hold held is free; its late charge is left to the books', async (t) => {
    const one = await beginLimited(open, t);
    await one.take('a', [limitOf(5)]);
    one.clock.time += lease;
    assert.deepEqual(await one.budget.sweep(), [one.id('a')]);
    await one.end('a', 3);
    assert.deepEqual(seen(await one.take('b', [limitOf(5)])), taken(5));
    await one.end('b', 1);
    assert.deepEqual(seen(await one.take('b', [limitOf(5, { spent: usd(4) })])), taken(1));
  });

  test('a hold is renewed with its part of a limit, and restored with it', async (t) => {
    const one = await beginLimited(open, t);
    await one.take('a', [limitOf(5)]);
    one.clock.time += lease - 1;
    await one.budget.renew([one.id('a')], lease);
    one.clock.time += lease - 1;
    assert.deepEqual(await one.take('b', [limitOf(5)]), full('a', 0));
    await one.budget.raise(one.id('c'), usd(0), lease, [limitOf(7)]);
    await one.end('a', 0);
    assert.deepEqual(await one.take('b', [limitOf(5)]), full('a', 0));
    await one.end('c', 0);
    assert.deepEqual(seen(await one.take('b', [limitOf(5)])), taken(5));
  });

  test('a new window begins with nothing spent, and requests that run hold their part of it', async (t) => {
    const one = await beginLimited(open, t);
    await one.take('a', [limitOf(2, { spent: usd(1) })]);
    await one.take('b', [limitOf(2, { spent: usd(1) })]);
    await one.end('a', 2);
    const next = { window: 2 };
    assert.deepEqual(seen(await one.take('c', [limitOf(9, next)])), taken(3));
    await one.end('b', 2, next);
    assert.deepEqual(await one.take('d', [limitOf(9, next)]), full('a', 2));
    // Settled before the window ended, known after it.
    await one.end('c', 3, { window: 1 });
    assert.deepEqual(seen(await one.take('d', [limitOf(9, next)])), taken(3));
  });

  test('a limit nobody uses is forgotten: then it has what the books say', async (t) => {
    const one = await beginLimited(open, t);
    await one.take('a', [limitOf(2)]);
    await one.end('a', 2);
    one.clock.time += limitMemory;
    await one.budget.sweep();
    assert.deepEqual(seen(await one.take('a', [limitOf(9, { spent: usd(1) })])), taken(4));
  });

  test('accounts do not share limits', async (t) => {
    const one = await beginLimited(open, t);
    await one.take('a', [limitOf(5)]);
    const other = { accountId: unique('user_'), requestId: 'a' };
    const outcome = await one.budget.hold(other, usd(0), { ...terms(0), limits: [limitOf(5)] });
    assert.deepEqual(seen(outcome), taken(5));
  });
}
