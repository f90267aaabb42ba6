import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resetsAt } from '../../dashboard/state/resets-at.ts';
import {
  ago,
  clock,
  comingDays,
  localMinute,
  momentOf,
  span,
  startOfDay,
  startOfMonth,
} from '../../dashboard/text/time.ts';
import { utcCalendar } from '../../src/core/limit-calendar.ts';

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/Los_Angeles',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
];

test('days and months begin at local midnight, where clocks change too', () => {
  for (const zone of zones) {
    const local = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    for (let day = 0; day < 366; day += 1) {
      const now = Date.UTC(2026, 0, 1, 13, 37, 11, 120) + day * 86_400_000;
      assert.match(local.format(startOfDay(now, zone)), /, 00:00:00$/, `${zone} ${day}`);
      assert.match(local.format(startOfMonth(now, zone)), /^01\/.*, 00:00:00$/, `${zone} ${day}`);
    }
  }
});

test('each coming day begins at its local midnight', () => {
  for (const zone of zones) {
    const local = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    for (const hour of [0, 11, 23]) {
      const now = Date.UTC(2026, 2, 1, hour, 37);
      const days = comingDays(now, zone, 300);
      assert.equal(new Set(days.map((day) => local.format(day).slice(0, 10))).size, 300);
      assert.ok((days[0] ?? 0) > now && (days[0] ?? 0) - now <= 25 * 3_600_000);
      assert.ok((days[299] ?? 0) - (days[0] ?? 0) < 299 * 86_400_000 + 3_600_001);
      for (const day of days) assert.equal(startOfDay(day, zone), day, `${zone} ${local.format(day)}`);
    }
  }
});

test('a moment of today has no day', () => {
  const now = Date.UTC(2026, 10, 25, 12);
  assert.equal(clock(Date.UTC(2026, 10, 25, 11, 44, 59), 'UTC', now), '11:44:59');
  assert.equal(clock(Date.UTC(2026, 10, 24, 11, 44, 59), 'UTC', now), '24 Nov 11:44:59');
  assert.equal(ago(now - 180_000, now), '3 minutes ago');
  assert.equal(ago(now + 2 * 86_400_000, now), 'in 2 days');
});

test('limits reset at boundaries of UTC', () => {
  const at = (reset: string | null, now: number) => {
    const next = resetsAt(reset, now, utcCalendar);
    return next === undefined ? undefined : new Date(next).toISOString();
  };
  const wednesday = Date.UTC(2026, 10, 25, 23, 59);
  assert.equal(at('daily', wednesday), '2026-11-26T00:00:00.000Z');
  assert.equal(at('weekly', wednesday), '2026-11-30T00:00:00.000Z');
  assert.equal(at('weekly', Date.UTC(2026, 10, 30)), '2026-12-07T00:00:00.000Z');
  assert.equal(at('weekly', Date.UTC(2026, 10, 29, 5)), '2026-11-30T00:00:00.000Z');
  assert.equal(at('monthly', Date.UTC(2026, 11, 31)), '2027-01-01T00:00:00.000Z');
  assert.equal(at(null, wednesday), undefined);
});

test('a local minute is the moment it was made of, in zones with odd offsets and where clocks change', () => {
  for (const zone of [
    'UTC',
    'Europe/Berlin',
    'Asia/Kathmandu',
    'Pacific/Kiritimati',
    'Australia/Lord_Howe',
  ]) {
    for (let time = Date.UTC(2026, 2, 1); time < Date.UTC(2026, 10, 20); time += 7 * 3_600_000 + 60_000) {
      assert.equal(localMinute(momentOf(localMinute(time, zone), zone) ?? 0, zone), localMinute(time, zone));
    }
  }
  assert.equal(localMinute('2026-11-26T12:00:00Z', 'Asia/Kolkata'), '2026-11-26T17:30');
  assert.equal(momentOf('2026-11-26T17:30', 'Asia/Kolkata'), Date.UTC(2026, 10, 26, 12));
  // Clocks pass 02:30 twice on the one day and never on the other.
  assert.equal(momentOf('2026-10-25T02:30', 'Europe/Berlin'), Date.UTC(2026, 9, 25, 0, 30));
  assert.equal(momentOf('2026-03-29T02:30', 'Europe/Berlin'), Date.UTC(2026, 2, 29, 0, 30));
  assert.equal(momentOf('', 'UTC'), undefined);
});

test('a range is said in few words, so that a list shows it whole', () => {
  const now = Date.parse('2026-11-26T12:00:00Z');
  const said = (from: string, to: string) =>
    span(`2026-11-${from}:00Z`, `2026-11-${to}:00Z`, 'Europe/Berlin', now);
  assert.equal(said('26T09:00', '26T10:30'), '10:00–11:30');
  assert.equal(said('24T09:00', '24T10:30'), '24 Nov 10:00–11:30');
  assert.equal(said('24T09:00', '24T23:30'), '24 Nov – 25 Nov', 'days are those of the zone');
});
