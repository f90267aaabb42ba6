import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SessionEntries } from './sessions.ts';

const start = Date.UTC(2026, 10, 27, 12);

/** How many of so many logins get an entry. */
function noted(entries: SessionEntries, count: number, address: (n: number) => string, now = start): number {
  const all = Array.from({ length: count }, (_, n) => entries.count('session.create', 'k', address(n), now));
  return all.filter(({ isUnnoted }) => !isUnnoted).length;
}

test('of one address the first ten of an hour get an entry, and then each time they have doubled', () => {
  const entries = new SessionEntries();
  const counts = Array.from({ length: 100 }, () => entries.count('session.create', 'k', '192.0.2.1', start));
  const shown = counts.filter(({ isUnnoted }) => !isUnnoted).map(({ count }) => count);
  assert.deepEqual(shown, [...Array(10).fill(undefined), 20, 40, 80]);
  for (const [action, key, now] of [
    ['session.delete', 'k', start],
    ['session.create', 'another', start],
    ['session.create', 'k', start + 3_600_000],
  ] as const) {
    assert.deepEqual(entries.count(action, key, '192.0.2.1', now), { isUnnoted: false });
  }
});

test('addresses of one key are counted apart, up to twenty networks; further ones are one', () => {
  const entries = new SessionEntries();
  assert.equal(
    noted(entries, 1_800, () => '192.0.2.1'),
    17,
  );
  assert.equal(
    noted(entries, 500, (n) => `2001:db8:1:2::${n.toString(16)}`),
    15,
    'an IPv6 network is one',
  );
  assert.equal(
    noted(entries, 1_000, (n) => `10.0.${n >> 8}.${n & 255}`),
    18 + 10 + 6,
  );
});

test('so many counts are remembered, the latest ones', () => {
  const entries = new SessionEntries();
  const count = (key: string) => entries.count('session.create', key, '192.0.2.1', start).count;
  for (let n = 0; n < 11; n += 1) count('first');
  assert.equal(count('first'), 12);
  for (let n = 0; n < 10_000; n += 1) count(`key-${n}`);
  assert.equal(count('first'), undefined, 'it begins anew');
});
