import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type CalendarChange,
  holds,
  LimitCalendar,
  type LimitWindows,
  resetIntervals,
  utcCalendar,
  weekdays,
} from './limit-calendar.ts';

const time = (text: string) => Date.parse(text);
const shown = ({ daily, weekly, monthly }: LimitWindows) =>
  [daily, weekly, monthly].map(({ start, end }) =>
    [start, end].map((one) => new Date(one).toISOString().slice(0, 16)),
  );

const berlin = { timeZone: 'Europe/Berlin', weekStart: 'sunday' } as const;
const newYork = { timeZone: 'America/New_York', weekStart: 'monday' } as const;
const utc = { since: 0, timeZone: 'UTC', weekStart: 'monday' } as const;

test('the windows of 2026-11-18T13:45Z are those of the specification', () => {
  assert.deepEqual(shown(utcCalendar.windowsAt(time('2026-11-18T13:45Z'))), [
    ['2026-11-18T00:00', '2026-11-19T00:00'],
    ['2026-11-16T00:00', '2026-11-23T00:00'],
    ['2026-11-01T00:00', '2026-12-01T00:00'],
  ]);
});

test('a zone and a first day of the week decide, through changes of the clocks', () => {
  const calendar = new LimitCalendar([{ ...berlin, since: time('2026-01-01T00:00Z') }]);
  assert.deepEqual(shown(calendar.windowsAt(time('2026-10-25T12:00Z'))), [
    ['2026-10-24T22:00', '2026-10-25T23:00'],
    ['2026-10-24T22:00', '2026-10-31T23:00'],
    ['2026-09-30T22:00', '2026-10-31T23:00'],
  ]);
  assert.deepEqual(shown(calendar.windowsAt(time('2026-12-31T23:00Z')))[2], [
    '2026-12-31T23:00',
    '2027-01-31T23:00',
  ]);
});

test('a change holds from the next window on, which begins where the last one ended', () => {
  const calendar = new LimitCalendar([utc, { ...berlin, since: time('2026-11-18T13:45Z') }]);
  // Wednesday: all three windows are still those of UTC, though Berlin has another day since 23:00.
  const before = shown(utcCalendar.windowsAt(time('2026-11-18T13:45Z')));
  assert.deepEqual(shown(calendar.windowsAt(time('2026-11-18T13:44Z'))), before);
  assert.deepEqual(shown(calendar.windowsAt(time('2026-11-18T23:59Z'))), before);
  assert.deepEqual(shown(calendar.windowsAt(time('2026-11-19T00:00Z'))), [
    ['2026-11-19T00:00', '2026-11-19T23:00'],
    ...before.slice(1),
  ]);
  assert.deepEqual(shown(calendar.windowsAt(time('2026-11-19T23:00Z')))[0], [
    '2026-11-19T23:00',
    '2026-11-20T23:00',
  ]);
  // The first week from a Sunday begins on Monday, where the last one from Mondays ended.
  assert.deepEqual(shown(calendar.windowsAt(time('2026-11-23T12:00Z')))[1], [
    '2026-11-23T00:00',
    '2026-11-28T23:00',
  ]);
  assert.deepEqual(shown(calendar.windowsAt(time('2026-11-29T12:00Z')))[1], [
    '2026-11-28T23:00',
    '2026-12-05T23:00',
  ]);
  assert.deepEqual(shown(calendar.windowsAt(time('2026-12-01T12:00Z')))[2], [
    '2026-12-01T00:00',
    '2026-12-31T23:00',
  ]);
});

test('of two changes in one window the later one holds, and both where the window lies between them', () => {
  const calendar = new LimitCalendar([
    utc,
    { ...berlin, since: time('2026-11-18T10:00Z') },
    { ...newYork, since: time('2026-11-18T11:00Z') },
  ]);
  assert.deepEqual(shown(calendar.windowsAt(time('2026-11-19T01:00Z')))[0], [
    '2026-11-19T00:00',
    '2026-11-19T05:00',
  ]);
  const days = new LimitCalendar([
    utc,
    { ...berlin, since: time('2026-11-18T10:00Z') },
    { ...newYork, since: time('2026-11-20T11:00Z') },
  ]);
  assert.deepEqual(shown(days.windowsAt(time('2026-11-20T22:59Z')))[0], [
    '2026-11-19T23:00',
    '2026-11-20T23:00',
  ]);
  assert.deepEqual(shown(days.windowsAt(time('2026-11-20T23:00Z')))[0], [
    '2026-11-20T23:00',
    '2026-11-21T05:00',
  ]);
  // In the month of both changes neither of them holds.
  assert.deepEqual(shown(days.windowsAt(time('2026-12-01T02:00Z')))[2], [
    '2026-12-01T00:00',
    '2026-12-01T05:00',
  ]);
});

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'America/Santiago',
  'Pacific/Kiritimati',
];
const change = fc.record({
  since: fc.integer({ min: time('2026-01-01T00:00Z'), max: time('2027-06-01T00:00Z') }),
  timeZone: fc.constantFrom(...zones),
  weekStart: fc.constantFrom(...weekdays),
});

test('whatever changes when, windows follow one another without a gap, and no change moves those that run', () => {
  const changes = fc
    .array(change, { minLength: 1, maxLength: 4 })
    .map((list): readonly CalendarChange[] => list.toSorted((one, other) => one.since - other.since));
  const moments = fc.integer({ min: time('2026-01-01T00:00Z'), max: time('2027-09-01T00:00Z') });
  fc.assert(
    fc.property(changes, moments, (list, moment) => {
      const calendar = new LimitCalendar(list);
      const windows = calendar.windowsAt(moment);
      for (const interval of resetIntervals) {
        const { start, end } = windows[interval];
        assert.ok(holds(windows[interval], moment));
        assert.equal(start % 900_000, 0);
        assert.equal(end % 900_000, 0);
        assert.equal(calendar.windowsAt(end)[interval].start, end);
        assert.equal(calendar.windowsAt(start - 1)[interval].end, start);
      }
      const earlier = new LimitCalendar(list.filter(({ since }, at) => at === 0 || since <= moment));
      assert.deepEqual(earlier.windowsAt(moment), windows);
    }),
    { numRuns: 300 },
  );
});
