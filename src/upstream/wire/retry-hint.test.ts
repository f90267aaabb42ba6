import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRetryHint } from './retry-hint.ts';

const now = Date.UTC(2026, 0, 1, 12, 0, 0);

test('a wait is read from milliseconds, seconds or a date, and rounded up', () => {
  const cases = [
    [{ 'retry-after-ms': '1200' }, 2],
    [{ 'retry-after-ms': '1200', 'retry-after': '30' }, 2],
    [{ 'retry-after-ms': 'soon', 'retry-after': '30' }, 30],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '2.5' }, 3],
    [{ 'retry-after': ['4', '9'] }, 4],
    [{ 'retry-after': 'Thu, 01 Jan 2026 12:00:30 GMT' }, 30],
    [{ 'retry-after': 'Thu, 01 Jan 2026 11:59:00 GMT' }, 0],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': '1e30' }, undefined],
    [{ 'retry-after-ms': '1e30', 'retry-after': '30' }, 30],
    [{ 'retry-after': 'Infinity' }, undefined],
    [{ 'retry-after': 'later' }, undefined],
    [{ 'retry-after': ' ' }, undefined],
    [{}, undefined],
  ] as const;
  for (const [headers, seconds] of cases) {
    assert.equal(
      readRetryHint({ ...headers } as Record<string, string>, now),
      seconds,
      JSON.stringify(headers),
    );
  }
});
