import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Key } from '../../clients/headgate-api.ts';
import { type LastUse, lastUseWords, orderedKeys } from '../../dashboard/pages/keys/last-use.ts';

const now = Date.UTC(2026, 10, 26, 12, 50);
const facts = { since: '2026-08-29T00:00:00.000Z', created: '2026-01-01T00:00:00.000Z' };
const use = (from: string, to: string): LastUse => ({ key: 'k', from, to });

test('the last use is told as exactly as it is known', () => {
  const words = (one: LastUse | undefined, created = facts.created) =>
    lastUseWords({ ...facts, use: one, created }, now, 'Europe/Berlin');
  assert.deepEqual(words(use('2026-11-26T12:45:00.000Z', '2026-11-26T13:00:00.000Z')), {
    text: 'in the last 5 min',
    exact: 'Between 26 Nov 2026, 13:45 GMT+1 and 26 Nov 2026, 14:00 GMT+1',
  });
  assert.equal(words(use('2026-11-26T09:45:00.000Z', '2026-11-26T10:00:00.000Z')).text, 'about 3 hours ago');
  // A quarter of an hour that has ended: neither of its ends is when the key was used.
  assert.equal(words(use('2026-11-26T12:15:00.000Z', '2026-11-26T12:30:00.000Z')).text, '20–35 min ago');
  assert.equal(words(use('2026-11-26T12:30:00.000Z', '2026-11-26T12:45:00.000Z')).text, '5–20 min ago');
  assert.equal(words(use('2026-11-26T11:45:00.000Z', '2026-11-26T12:00:00.000Z')).text, '50–65 min ago');
  const older = words(use('2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'));
  assert.equal(older.text, '20 Nov');
  assert.match(older.exact, /^Between 20 Nov 2026, 00:00 .* and 21 Nov 2026, 00:00 /);
  assert.equal(words(undefined).text, 'not lately');
  assert.match(words(undefined).exact, /^Not since 29 Aug 2026, 00:00 /);
  assert.equal(words(undefined, '2026-11-01T00:00:00.000Z').text, 'never');
});

test('keys are ordered by what they spent, when they were used, and by name', () => {
  const key = (name: string, usage_monthly: number) => ({ hash: name, name, usage_monthly }) as Key;
  const keys = [key('b', 2), key('c', 0), key('a', 7), key('d', 0)];
  const uses = new Map([
    ['c', use('2026-11-26T12:45:00.000Z', '2026-11-26T13:00:00.000Z')],
    ['a', use('2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z')],
  ]);
  const names = (order: Parameters<typeof orderedKeys>[1]) =>
    orderedKeys(keys, order, uses)
      .map(({ name }) => name)
      .join('');
  assert.deepEqual((['newest', 'spend', 'used', 'name'] as const).map(names), [
    'bcad',
    'abcd',
    'cabd',
    'abcd',
  ]);
});
