import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeadgateError } from '../../core/errors.ts';
import type { UsageCell, UsageRange } from '../../ports/usage.ts';
import { AllAccountsUsage } from './all-accounts-usage.ts';
import { noUsage } from './cells.ts';

const cell: UsageCell = { ...noUsage, start: 0, model: 'm', provider: 'p', endpoint: 'e', errorType: '' };
const rangeOf = (number: number): UsageRange => ({ from: number * 900_000, to: (number + 1) * 900_000 });

/** Sums that are read when the test says so, on a clock that it moves. */
function prepare() {
  const waiting: PromiseWithResolvers<readonly UsageCell[]>[] = [];
  const clock = { time: 0, now: () => clock.time };
  const cells = () => {
    const one = Promise.withResolvers<readonly UsageCell[]>();
    waiting.push(one);
    return one.promise;
  };
  return { waiting, clock, usage: new AllAccountsUsage({ cells }, clock, 1) };
}

/** Lets everything run that waits for nothing. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('what all ask at once is read once, and again when it is old', async () => {
  const { waiting, clock, usage } = prepare();
  const asked = [usage.read(rangeOf(0), 15), usage.read(rangeOf(0), 15)];
  await settled();
  assert.equal(waiting.length, 1);
  waiting[0]?.resolve([cell]);
  for (const one of asked) assert.deepEqual(await one, { cells: [cell], readAt: 0 });
  clock.time = 4_999;
  await usage.read(rangeOf(0), 15);
  assert.equal(waiting.length, 1);
  clock.time = 5_000;
  const again = usage.read(rangeOf(0), 15);
  await settled();
  assert.equal(waiting.length, 2);
  clock.time = 8_000;
  waiting[1]?.resolve([]);
  assert.deepEqual(await again, { cells: [], readAt: 5_000 });
  clock.time = 37_999;
  assert.deepEqual(await usage.read(rangeOf(0), 15), { cells: [], readAt: 5_000 });
  assert.equal(waiting.length, 2, 'what took three seconds is given for thirty');
  clock.time = 38_000;
  void usage.read(rangeOf(0), 15);
  await settled();
  assert.equal(waiting.length, 3);
});

test('a reading that fails is read again by the next who asks', async () => {
  const { waiting, usage } = prepare();
  const first = usage.read(rangeOf(0), 'all');
  await settled();
  waiting[0]?.reject(new Error('away'));
  await assert.rejects(first, /away/);
  const second = usage.read(rangeOf(0), 'all');
  await settled();
  waiting[1]?.resolve([cell, cell]);
  await assert.rejects(second, /choose a shorter range/);
});

test('one range is read after the other, and no more wait than are kept', async () => {
  const { waiting, usage } = prepare();
  const reads = Array.from({ length: 8 }, (_, number) => usage.read(rangeOf(number), 15));
  await settled();
  assert.equal(waiting.length, 1);
  const isBusy = (error: unknown) => error instanceof HeadgateError && error.code === 'service_unavailable';
  await assert.rejects(usage.read(rangeOf(8), 15), isBusy);
  for (const [number, read] of reads.entries()) {
    waiting[number]?.resolve([]);
    await read;
    await settled();
  }
  const ninth = usage.read(rangeOf(8), 15);
  await settled();
  waiting[8]?.resolve([]);
  await ninth;
  await usage.read(rangeOf(1), 15);
  assert.equal(waiting.length, 9, 'only the oldest made room');
  void usage.read(rangeOf(0), 15);
  await settled();
  assert.equal(waiting.length, 10);
});

test('quarters of an hour are read of four days at most', async () => {
  const { waiting, usage } = prepare();
  const day = 86_400_000;
  const read = usage.read({ from: 0, to: 4 * day }, 60);
  await settled();
  waiting[0]?.resolve([]);
  await read;
  await assert.rejects(usage.read({ from: 0, to: 4 * day + 900_000 }, 60), /bucket=1d/);
  void usage.read({ from: 0, to: 400 * day }, 1440);
  await settled();
  assert.equal(waiting.length, 2);
});
