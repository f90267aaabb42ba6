import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localDays, zoneName, zoneOffsets } from './local-days.ts';

const dayOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / 86_400_000;
const startIn = (zone: string, date: string) => new Date(localDays(zone).startOf(dayOf(date))).toISOString();

test('days begin at midnight of their zone, in summer and in winter', () => {
  assert.equal(startIn('UTC', '2026-11-18'), '2026-11-18T00:00:00.000Z');
  assert.equal(startIn('Europe/Berlin', '2026-11-18'), '2026-11-17T23:00:00.000Z');
  assert.equal(startIn('Europe/Berlin', '2026-07-18'), '2026-07-17T22:00:00.000Z');
  assert.equal(startIn('America/New_York', '2026-11-18'), '2026-11-18T05:00:00.000Z');
  assert.equal(startIn('Asia/Kathmandu', '2026-11-18'), '2026-11-17T18:15:00.000Z');
  assert.equal(startIn('Pacific/Kiritimati', '2026-11-18'), '2026-11-17T10:00:00.000Z');
});

test('a day that has no midnight begins when its clocks do, and one with two begins with the first', () => {
  // Set forward from 00:00 to 01:00.
  assert.equal(startIn('America/Santiago', '2026-09-06'), '2026-09-06T04:00:00.000Z');
  assert.equal(startIn('Africa/Cairo', '2026-04-24'), '2026-04-23T22:00:00.000Z');
  // Set forward from 23:30 to 00:30, as Toronto was in 1919.
  assert.equal(startIn('America/Toronto', '1919-03-31'), '1919-03-31T04:30:00.000Z');
  // Set back from 01:00 to 00:00.
  assert.equal(startIn('America/Havana', '2026-11-01'), '2026-11-01T04:00:00.000Z');
  // Set back from 24:00 to 23:00: the day before lasts an hour longer.
  assert.equal(startIn('America/Santiago', '2026-04-05'), '2026-04-05T04:00:00.000Z');
  assert.equal(startIn('Asia/Beirut', '2026-10-25'), '2026-10-24T22:00:00.000Z');
});

test('every moment lies in its day, and days follow one another without a gap', () => {
  for (const zone of [
    'Europe/Berlin',
    'America/Santiago',
    'Africa/Cairo',
    'America/Havana',
    'Asia/Beirut',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
  ]) {
    const days = localDays(zone);
    for (let day = dayOf('2026-01-01'); day < dayOf('2027-01-01'); day += 1) {
      const [start, end] = [days.startOf(day), days.startOf(day + 1)];
      const hours = (end - start) / 3_600_000;
      assert.ok(hours >= 23 && hours <= 25, `${zone} ${day}: ${hours} hours`);
      assert.equal(start % 900_000, 0);
      for (const moment of [start, start + 1, start + 3_600_000, end - 3_600_000, end - 1]) {
        assert.equal(days.at(moment), day, `${zone} ${new Date(moment).toISOString()}`);
      }
      assert.equal(days.at(end), day + 1);
    }
  }
});

test('zones have one name, offsets are none, and what is unknown is said to be', () => {
  assert.equal(zoneName('europe/berlin'), 'Europe/Berlin');
  assert.equal(zoneName('Etc/UTC'), 'UTC');
  assert.equal(zoneName('Asia/Kolkata'), 'Asia/Kolkata');
  assert.equal(zoneName('Asia/Calcutta'), 'Asia/Calcutta');
  assert.equal(zoneName('+02:00'), undefined);
  assert.equal(zoneName('Mars/Olympus'), undefined);
  assert.throws(() => zoneOffsets('Mars/Olympus'), RangeError);
});
