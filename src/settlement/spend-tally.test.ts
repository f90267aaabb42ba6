import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LimitCalendar, utcCalendar } from '../core/limit-calendar.ts';
import { type NanoUsd, nanoFromInteger } from '../core/money.ts';
import { SpendTally } from './key-tally.ts';

const usd = (amount: number): NanoUsd => nanoFromInteger(amount);

/** The last millisecond of Sunday, 2026-05-31: of a day, a week and a month. */
const sunday = Date.UTC(2026, 5, 1) - 1;
const monday = sunday + 1;
const day = 86_400_000;

/** What was spent in all time and in the day, week and month. */
function sums(tally: SpendTally, now: number): readonly bigint[] {
  const { total, daily, weekly, monthly } = tally.at(now);
  return [total, daily, weekly, monthly];
}

function book(tally: SpendTally, amount: number, settledAt: number): void {
  tally.begin(usd(amount));
  tally.end(usd(amount), usd(amount), settledAt);
}

test('a charge belongs to the windows of the moment it was settled, whenever its call began', () => {
  const tally = new SpendTally(utcCalendar, sunday - 1000);
  book(tally, 5, sunday);
  assert.deepEqual(sums(tally, sunday), [5n, 5n, 5n, 5n]);
  // It began on Sunday; nobody has looked since.
  book(tally, 3, monday);
  assert.deepEqual(sums(tally, monday), [8n, 3n, 3n, 3n]);
  assert.deepEqual(sums(tally, monday + day), [8n, 0n, 3n, 3n]);
  assert.deepEqual(sums(tally, monday + 7 * day), [8n, 0n, 0n, 3n]);
  assert.deepEqual(sums(tally, monday + 30 * day), [8n, 0n, 0n, 0n]);
});

test('a charge that was settled before midnight and booked after it is none of the new day', () => {
  const tally = new SpendTally(utcCalendar, monday + 5);
  book(tally, 7, sunday);
  assert.deepEqual(sums(tally, monday + 6), [7n, 0n, 0n, 0n]);
});

test('a clock set back over midnight by a moment begins nothing anew', () => {
  const tally = new SpendTally(utcCalendar, monday);
  book(tally, 9, monday);
  assert.deepEqual(sums(tally, sunday), [9n, 9n, 9n, 9n]);
  assert.deepEqual(sums(tally, monday + 1), [9n, 9n, 9n, 9n]);
});

test('a clock set back by days is believed, and the books tell what was spent then', () => {
  const tally = new SpendTally(utcCalendar, monday);
  book(tally, 9, monday);
  const before = sunday - 2 * day;
  assert.deepEqual(sums(tally, before), [9n, 0n, 0n, 0n]);
  tally.read({ total: usd(20), daily: usd(1), weekly: usd(2), monthly: usd(3) }, before);
  assert.deepEqual(sums(tally, before), [20n, 1n, 2n, 3n]);
});

test('what the books said of a day that is over fills no window of the next', () => {
  const tally = new SpendTally(utcCalendar, sunday);
  assert.deepEqual(sums(tally, monday), [0n, 0n, 0n, 0n]);
  tally.read({ total: usd(20), daily: usd(1), weekly: usd(2), monthly: usd(3) }, sunday);
  assert.deepEqual(sums(tally, monday), [20n, 0n, 0n, 0n]);
});

test('windows of a zone begin anew at its midnight, each alone where a change holds for one before another', () => {
  const calendar = new LimitCalendar([
    { since: 0, timeZone: 'UTC', weekStart: 'monday' },
    { since: Date.UTC(2026, 10, 18, 12), timeZone: 'Europe/Berlin', weekStart: 'thursday' },
  ]);
  // Friday, 2026-11-20 in Berlin. The day began at 23:00Z; week and month are still those of UTC.
  const friday = Date.UTC(2026, 10, 19, 23);
  const tally = new SpendTally(calendar, friday - 1);
  book(tally, 1, friday - 1);
  book(tally, 10, friday);
  assert.deepEqual(sums(tally, friday), [11n, 10n, 11n, 11n]);
  const week = Date.UTC(2026, 10, 23);
  book(tally, 100, week - 1);
  assert.deepEqual(sums(tally, week - 1), [111n, 100n, 111n, 111n]);
  // The week ends amid a day.
  book(tally, 1000, week);
  assert.deepEqual(sums(tally, week), [1111n, 1100n, 1000n, 1111n]);
  tally.read({ total: usd(9000), daily: usd(5000), weekly: usd(6000), monthly: usd(7000) }, week - 1);
  assert.deepEqual(sums(tally, week), [9000n, 5000n, 1000n, 7000n]);
});

test('a reading that holds charges on their way counts none of them twice, and a charge that failed leaves nothing', () => {
  const tally = new SpendTally(utcCalendar, monday);
  tally.begin(usd(4));
  tally.begin(usd(6));
  // The books have the first of them already, or both, or neither.
  tally.read({ total: usd(14), daily: usd(14), weekly: usd(14), monthly: usd(14) }, monday);
  assert.deepEqual(sums(tally, monday), [4n, 4n, 4n, 4n]);
  tally.end(usd(4), usd(4), monday);
  tally.end(usd(6), undefined, monday);
  assert.deepEqual(sums(tally, monday), [8n, 8n, 8n, 8n]);
  tally.read({ total: usd(14), daily: usd(14), weekly: usd(14), monthly: usd(14) }, monday);
  assert.deepEqual(sums(tally, monday), [14n, 14n, 14n, 14n]);
});
