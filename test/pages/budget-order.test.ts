import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  budgetFaults,
  budgetSteps,
  type Interval,
  intervals,
  type TypedBudgets,
} from '../../dashboard/pages/workspaces/budget-order.ts';
import { gatewayTools } from '../../dashboard/pages/workspaces/tools.ts';
import { windowStart } from '../../dashboard/state/resets-at.ts';
import { nanoOfText } from '../../dashboard/text/nano-of.ts';
import { utcCalendar } from '../../src/core/limit-calendar.ts';
import { builtServiceTools } from '../../src/dialects/gateway/tools/service-tools.ts';

const none: TypedBudgets = { daily: '', weekly: '', monthly: '', lifetime: '' };

test('a budget must be above every shorter one, to the nano-dollar', () => {
  assert.deepEqual(budgetFaults({ ...none, daily: '1', lifetime: '1.000000001' }), {});
  assert.deepEqual(budgetFaults({ ...none, daily: '25', monthly: '25' }), {
    monthly: 'Must be above the daily budget, $25.',
  });
  assert.deepEqual(Object.keys(budgetFaults({ ...none, daily: '0', weekly: 'x', monthly: '1' })), [
    'daily',
    'weekly',
  ]);
});

const values = ['', '1', '2', '3', '4', '5'];

/** All typed budgets of whole dollars up to five that are in order. */
function validBudgets(): readonly TypedBudgets[] {
  const all = intervals.reduce<readonly TypedBudgets[]>(
    (found, interval) => found.flatMap((typed) => values.map((value) => ({ ...typed, [interval]: value }))),
    [none],
  );
  return all.filter((typed) => Object.keys(budgetFaults(typed)).length === 0);
}

function limitsOf(typed: TypedBudgets): Map<Interval, bigint> {
  return new Map(
    intervals.flatMap((interval) => {
      const limit = nanoOfText(typed[interval]);
      return limit === undefined ? [] : [[interval, limit] as const];
    }),
  );
}

/** Takes the steps, and says whether every state on the way was in order. */
function walk(from: TypedBudgets, to: TypedBudgets): boolean {
  const held = limitsOf(from);
  let isInOrder = true;
  for (const { interval, limit } of budgetSteps(Object.fromEntries(held), to)) {
    if (limit === undefined) held.delete(interval);
    else held.set(interval, nanoOfText(limit) ?? 0n);
    const state = intervals.flatMap((name) => held.get(name) ?? []);
    isInOrder &&= state.every((value, index) => index === 0 || value > (state[index - 1] ?? 0n));
  }
  assert.deepEqual([...held].sort(), [...limitsOf(to)].sort());
  return isInOrder;
}

test('every state between stored and typed budgets is in order', () => {
  const valid = validBudgets();
  assert.equal(valid.length, 126);
  const faults = valid.flatMap((from) => valid.filter((to) => !walk(from, to)).map((to) => [from, to]));
  assert.deepEqual(faults, []);
});

test('windows begin at boundaries of UTC, weeks on Monday', () => {
  const sunday = Date.UTC(2026, 10, 29, 23, 59);
  assert.equal(windowStart('daily', sunday, utcCalendar), Date.UTC(2026, 10, 29));
  assert.equal(windowStart('weekly', sunday, utcCalendar), Date.UTC(2026, 10, 23));
  assert.equal(windowStart('weekly', Date.UTC(2026, 10, 23), utcCalendar), Date.UTC(2026, 10, 23));
  assert.equal(windowStart('monthly', sunday, utcCalendar), Date.UTC(2026, 10, 1));
  assert.equal(windowStart('lifetime', sunday, utcCalendar), undefined);
});

test('the page offers exactly the tools that the gateway has', () => {
  const built = Object.keys(builtServiceTools).filter((type) => type.startsWith('service:'));
  assert.deepEqual(Object.keys(gatewayTools).sort(), built.sort());
});
