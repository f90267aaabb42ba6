import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeSteps } from './series.ts';

const hour = 3_600_000;

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/Los_Angeles',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Australia/Lord_Howe',
];

test('days of every zone begin at its midnight and have 23 to 25 hours', () => {
  for (const zone of zones) {
    const local = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'short' });
    const { starts, end } = timeSteps(Date.UTC(2026, 0, 15), Date.UTC(2026, 11, 15), '1d', zone);
    for (const [index, start] of starts.entries()) {
      if (index > 0) assert.equal(local.format(start), '00:00', zone);
      const length = (starts[index + 1] ?? end) - start;
      if (index > 0 && index < starts.length - 1) {
        assert.ok(length >= 23 * hour && length <= 25 * hour, `${zone} ${new Date(start).toISOString()}`);
      }
    }
  }
});

test('days where clocks change are as long as they are', () => {
  const lengths = (from: number, to: number) => {
    const { starts, end } = timeSteps(from, to, '1d', 'Europe/Berlin');
    return starts.map((start, index) => ((starts[index + 1] ?? end) - start) / hour);
  };
  assert.deepEqual(lengths(Date.UTC(2026, 2, 27, 23), Date.UTC(2026, 2, 29, 22)), [24, 23]);
  assert.deepEqual(lengths(Date.UTC(2026, 9, 23, 22), Date.UTC(2026, 9, 25, 23)), [24, 25]);
});

test('hours of zones with odd offsets begin at full local hours', () => {
  const { starts } = timeSteps(Date.UTC(2026, 0, 1, 0, 20), Date.UTC(2026, 0, 1, 4), '1h', 'Asia/Kathmandu');
  assert.deepEqual(
    starts.map((start) => new Date(start).toISOString().slice(11, 16)),
    ['00:15', '01:15', '02:15', '03:15'],
  );
});
