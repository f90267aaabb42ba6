import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cachedInput, earlyInput, totalInput, type Usage, usesCache, withoutOutput } from './usage.ts';

test('the whole input is the sum of its classes; what was not reported is not zero', () => {
  const all: Usage = {
    uncachedInput: 1,
    cacheRead: 10,
    cacheWrite: 100,
    cacheWriteLong: 1_000,
    audioInput: 10_000,
    audioCacheRead: 100_000,
    imageInput: 1,
    output: 9,
  };
  assert.equal(totalInput(all), 111_111);
  assert.equal(cachedInput(all), 100_010);
  assert.equal(totalInput({ output: 9 }), undefined);
  assert.equal(totalInput({ cacheRead: 0 }), 0);
  assert.equal(cachedInput({ uncachedInput: 5 }), undefined);
});

test('a cache is in use as soon as one class of it has a token', () => {
  assert.equal(usesCache({}), false);
  assert.equal(usesCache({ uncachedInput: 5, audioInput: 5 }), false);
  const classes = ['cacheRead', 'cacheWrite', 'cacheWriteLong', 'audioCacheRead'] as const;
  assert.equal(usesCache(Object.fromEntries(classes.map((name) => [name, 0]))), false);
  for (const name of classes) assert.equal(usesCache({ [name]: 1 }), true, name);
});

test('early counts are those of the input, unless they come to nothing', () => {
  assert.equal(earlyInput(undefined), undefined);
  assert.equal(earlyInput({ output: 4 }), undefined);
  assert.equal(earlyInput({ uncachedInput: 0, cacheRead: 0 }), undefined);
  const input = { uncachedInput: 3, cacheRead: 2, imageInput: 1 };
  assert.deepEqual(JSON.parse(JSON.stringify(earlyInput({ ...input, output: 4, reasoning: 1 }))), input);
});

test('counts without those of the output keep the rest', () => {
  const usage = { output: 4, reasoning: 1, imageOutput: 2, audioOutput: 3, uncachedInput: 5, webSearches: 6 };
  assert.deepEqual(JSON.parse(JSON.stringify(withoutOutput(usage))), { uncachedInput: 5, webSearches: 6 });
});
