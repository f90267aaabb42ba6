import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Clock } from '../../src/ports/clock.ts';
import type { FreeRequests } from '../../src/ports/free-requests.ts';
import { unique } from './fixtures.ts';

/**
 * Makes a counter that goes by this clock. `booked` tells what the books have from before it was made: the times
 * of an account's free requests.
 */
export type OpenFreeRequests = (
  clock: Clock,
  booked: (accountId: string) => readonly number[],
  test: { after: (cleanUp: () => Promise<void>) => void },
) => Promise<FreeRequests>;

const limits = { perMinute: 20, perDay: 50 };
const counted = { counted: true };
const second = 1_000;
const minute = 60_000;
const day = 86_400_000;
const noon = Date.UTC(2026, 10, 18, 12);
const midnight = Date.UTC(2026, 10, 19);

async function begin(
  open: OpenFreeRequests,
  t: Parameters<OpenFreeRequests>[2],
  booked: readonly number[] = [],
  time = noon,
) {
  const clock = { time, now: () => clock.time };
  const accountId = unique('user_');
  const counter = await open(clock, (asked) => (asked === accountId ? booked : []), t);
  const count = (of = limits) => counter.count(accountId, of);
  const several = async (times: number) => {
    for (let made = 0; made < times; made += 1) assert.deepEqual(await count(), counted);
  };
  return { clock, accountId, counter, count, several, today: () => counter.countedToday(accountId) };
}

/** What every FreeRequests must do (docs/spec/money.md#free-variants). */
export function describeFreeRequests(name: string, open: OpenFreeRequests): void {
  describe(`free requests: ${name}`, () => {
    describeWindows(open);
    describeClockSetBack(open);
    describeRestart(open);
  });
}

function describeWindows(open: OpenFreeRequests): void {
  test('of many at once exactly as many are counted as the minute has room for', async (t) => {
    const one = await begin(open, t);
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => one.count()));
    assert.equal(outcomes.filter((outcome) => outcome.counted).length, 20);
    assert.equal(await one.today(), 20, 'refused requests do not count');
    assert.deepEqual(await one.count(), { counted: false, window: 'minute', resetsAt: noon + minute });
  });

  test('a look tells what counting would, and counts nothing', async (t) => {
    const one = await begin(open, t, [noon]);
    const look = (of = limits) => one.counter.look(one.accountId, of);
    for (let time = 0; time < 25; time += 1) assert.deepEqual(await look(), counted);
    assert.equal(await one.today(), 1);
    await one.several(19);
    const full = { counted: false, window: 'minute', resetsAt: noon + minute };
    assert.deepEqual([await look(), await one.count()], [full, full]);
    assert.deepEqual(await look({ perMinute: 99, perDay: 20 }), {
      counted: false,
      window: 'day',
      resetsAt: midnight,
    });
    assert.deepEqual(await one.counter.look(one.accountId, undefined), counted);
    one.clock.time += minute;
    assert.deepEqual(await look(), counted);
    assert.equal(await one.today(), 20);
  });

  test('a UTC minute ends, however late it began', async (t) => {
    const one = await begin(open, t, [], noon + 59 * second);
    await one.several(20);
    assert.equal((await one.count()).counted, false);
    one.clock.time = noon + minute;
    await one.several(20);
    assert.equal(await one.today(), 40);
  });

  test('a UTC day is full before its minute is asked, and ends at midnight', async (t) => {
    const one = await begin(open, t);
    for (const made of [20, 20, 10]) {
      await one.several(made);
      one.clock.time += minute;
    }
    const full = { counted: false, window: 'day', resetsAt: midnight };
    assert.deepEqual(await one.count(), full);
    one.clock.time = midnight - 1;
    assert.deepEqual(await one.count(), full);
    one.clock.time = midnight;
    assert.equal(await one.today(), 0);
    await one.several(20);
    assert.equal(await one.today(), 20);
  });

  test('without limits everything counts; with higher ones more does', async (t) => {
    const one = await begin(open, t);
    for (let made = 0; made < 70; made += 1) {
      assert.deepEqual(await one.counter.count(one.accountId, undefined), counted);
    }
    assert.equal(await one.today(), 70);
    assert.equal((await one.count()).counted, false);
    one.clock.time += minute;
    assert.deepEqual(await one.count({ perMinute: 20, perDay: 1000 }), counted);
  });

  test('accounts do not share', async (t) => {
    const one = await begin(open, t);
    await one.several(20);
    const other = unique('user_');
    assert.deepEqual(await one.counter.count(other, limits), counted);
    assert.equal(await one.counter.countedToday(other), 1);
  });

  test('a clock set back by a moment begins no window anew', async (t) => {
    const one = await begin(open, t, [], midnight + 10);
    await one.several(20);
    one.clock.time = midnight - 10;
    assert.equal((await one.count()).counted, false);
    assert.equal(await one.today(), 20);
    one.clock.time = midnight + 20;
    assert.equal((await one.count()).counted, false);
  });
}

function describeClockSetBack(open: OpenFreeRequests): void {
  test('a clock set back by days counts what the ledger knows of that day, and the limits hold again', async (t) => {
    const early = noon - 3 * day;
    const one = await begin(open, t, [early + second, early + 2 * second]);
    await one.several(20);
    one.clock.time = early + 3 * second;
    assert.equal(await one.today(), 2, 'the day before counts as the ledger has it');
    await one.several(18);
    assert.deepEqual(await one.count(), { counted: false, window: 'minute', resetsAt: early + minute });
  });
}

function describeRestart(open: OpenFreeRequests): void {
  test('what was made before a restart counts', async (t) => {
    const booked = [midnight - day - 1, noon - 3_600_000, noon - second, noon + second, noon + 2 * second];
    const one = await begin(open, t, booked, noon + 3 * second);
    assert.equal(await one.today(), 4);
    await one.several(18);
    assert.deepEqual(await one.count(), { counted: false, window: 'minute', resetsAt: noon + minute });
    assert.equal(await one.today(), 22);
    one.clock.time = midnight;
    assert.equal(await one.today(), 0);
  });

  test('the books are read once, however many ask together', async (t) => {
    let asked = 0;
    const clock = { now: () => noon };
    const counter = await open(
      clock,
      () => {
        asked += 1;
        return [noon];
      },
      t,
    );
    const accountId = unique('user_');
    await Promise.all(Array.from({ length: 30 }, () => counter.count(accountId, limits)));
    assert.equal(await counter.countedToday(accountId), 20);
    assert.ok(asked <= 2, 'once for the minute and once for the day');
  });
}
