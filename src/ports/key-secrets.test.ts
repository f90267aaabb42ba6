import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptsSecret, previousSecretEnd, rotatedSecrets } from './key-secrets.ts';

const fresh = (hash: string, createdAt: number) => ({ hash, label: hash, createdAt, endsAt: null });

test('both secrets work to the last millisecond of the grace time, then the new one', () => {
  const key = { hash: 'a', label: 'a', createdAt: 0 };
  assert.deepEqual([acceptsSecret(key, 'a', 5), acceptsSecret(key, 'b', 5)], [true, false]);
  const rotated = { ...key, secrets: rotatedSecrets(key, fresh('b', 10), 100) };
  for (const [now, old] of [
    [10, true],
    [99, true],
    [100, false],
  ] as const) {
    assert.deepEqual([acceptsSecret(rotated, 'a', now), acceptsSecret(rotated, 'b', now)], [old, true]);
    assert.equal(previousSecretEnd(rotated, now), old ? 100 : undefined);
  }
});

test('without a grace time the old secret ends at once', () => {
  const key = { hash: 'a', label: 'a', createdAt: 0 };
  assert.deepEqual(rotatedSecrets(key, fresh('b', 10), 10), [fresh('b', 10)]);
});
