import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resetWords } from '../../dashboard/text/reset-words.ts';

test('a reset has its moment in UTC and in the zone of the reader, with the day where that differs', () => {
  const now = Date.UTC(2026, 10, 26, 12, 50);
  const next = Date.UTC(2026, 11, 1);
  assert.equal(
    resetWords(next, now, 'Europe/Berlin', 'UTC'),
    'resets in 4 days (1 Dec, 00:00 UTC, 01:00 your time)',
  );
  assert.equal(
    resetWords(next, now, 'America/New_York', 'UTC'),
    'resets in 4 days (1 Dec, 00:00 UTC, 30 Nov, 19:00 your time)',
  );
  assert.equal(
    resetWords('2026-12-01T00:00:00.000Z', now, 'UTC', 'UTC'),
    'resets in 4 days (1 Dec, 00:00 UTC)',
  );
});

test('limits of another zone name it', () => {
  const now = Date.UTC(2026, 10, 26, 12, 50);
  const next = Date.UTC(2026, 10, 30, 23);
  assert.equal(
    resetWords(next, now, 'Europe/Berlin', 'Europe/Berlin'),
    'resets in 4 days (1 Dec, 00:00 Europe/Berlin)',
  );
  assert.equal(
    resetWords(next, now, 'UTC', 'Europe/Berlin'),
    'resets in 4 days (1 Dec, 00:00 Europe/Berlin, 30 Nov, 23:00 your time)',
  );
});
