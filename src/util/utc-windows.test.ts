import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayName, isCalendarDay, monthName, utcDay, utcMonth } from './utc-windows.ts';

test('months are counted and named through the turn of a year', () => {
  const name = (...date: [number, number, number]) => monthName(utcMonth(utcDay(Date.UTC(...date))));
  assert.equal(name(2026, 0, 1), '2026-01');
  assert.equal(name(2026, 11, 31), '2026-12');
  assert.equal(name(2027, 0, 1), '2027-01');
  assert.equal(utcMonth(utcDay(Date.UTC(2026, 10, 18))), 2026 * 12 + 10);
});

test('the last and the first millisecond of a day belong to different days', () => {
  const midnight = Date.UTC(2026, 10, 18);
  assert.deepEqual([utcDay(midnight - 1), utcDay(midnight)].map(dayName), ['2026-11-17', '2026-11-18']);
});

test('a day is one of the calendar, or is shown as its number', () => {
  assert.ok(isCalendarDay('2028-02-29'));
  for (const text of ['2027-02-30', '2027-02-29', '2027-13-01', 'soon', ''])
    assert.ok(!isCalendarDay(text), text);
  assert.equal(dayName(1e12), 'day 1000000000000');
});
