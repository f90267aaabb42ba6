import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitCacheKey } from './call-facts.ts';

test('a key that providers take stays as it is', () => {
  assert.equal(fitCacheKey(undefined), undefined);
  for (const key of ['', 'k', 'k'.repeat(64)]) assert.equal(fitCacheKey(key), key);
});

test('a longer one becomes one they take, of its own and the same each time', () => {
  const [session, other] = ['a', 'b'].map((ending) => `${'😀'.repeat(40)}${ending}`);
  const fitted = fitCacheKey(session) ?? '';
  assert.equal(fitted.length, 64);
  assert.ok(fitted.isWellFormed(), 'half a character is no text that every provider reads');
  assert.equal(fitCacheKey(session), fitted);
  assert.notEqual(fitCacheKey(other), fitted);
});
