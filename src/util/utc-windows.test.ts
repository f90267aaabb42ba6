import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayName, isCalendarDay, monthName, utcDay, utcMonth, windowsAt } from './utc-windows.ts';

const moments = fc
  .date({ min: new Date('1970-01-05T00:00:00Z'), max: new Date('2200-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => date.getTime());

test('the windows of 2026-11-18T13:45Z are those of the specification', () => {
  const { day, week, month } = windowsAt(Date.UTC(2026, 10, 18, 13, 45));
  const names = [day, week, month].map((range) => [dayName(range.first), dayName(range.end)]);
  assert.deepEqual(names, [
    ['2026-11-18', '2026-11-19'],
    ['2026-11-16', '2026-11-23'],
    ['2026-11-01', '2026-12-01'],
  ]);
});

test('every window holds its moment; weeks begin on Monday, months on the first', () => {
  fc.assert(
    fc.property(moments, (now) => {
      const { day, week, month } = windowsAt(now);
      const today = utcDay(now);
      for (const range of [day, week, month]) assert.ok(range.first <= today && today < range.end);
      assert.equal(day.end - day.first, 1);
      assert.equal(week.end - week.first, 7);
      assert.equal(new Date(dayName(week.first)).getUTCDay(), 1);
      assert.match(dayName(month.first), /-01$/);
      assert.match(dayName(month.end), /-01$/);
      assert.ok(month.end - month.first >= 28 && month.end - month.first <= 31);
    }),
  );
});

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
  assert.deepEqual(windowsAt(midnight - 1).day.end, windowsAt(midnight).day.first);
});

test('a day is one of the calendar, or is shown as its number', () => {
  assert.ok(isCalendarDay('2028-02-29'));
  for (const text of ['2027-02-30', '2027-02-29', '2027-13-01', 'soon', ''])
    assert.ok(!isCalendarDay(text), text);
  assert.equal(dayName(1e12), 'day 1000000000000');
});
