import assert from 'node:assert/strict';
import { test } from 'node:test';
import { medianInterval } from './statistics.ts';

const drawn = (count: number) => Array.from({ length: count }, (_, at) => count - at);

test('the interval of a median holds it with at least 90 % probability', () => {
  // Binomial tails of one half: 1 of 32; 18 of 1,024 and not 56; 576 of 32,768 and not 1,941.
  assert.deepEqual(medianInterval(drawn(5)), [1, 5]);
  assert.deepEqual(medianInterval(drawn(10)), [2, 9]);
  assert.deepEqual(medianInterval(drawn(15)), [4, 12]);
});

test('fewer than five values say nothing about the median', () => {
  for (const count of [0, 1, 4]) assert.equal(medianInterval(drawn(count)), undefined);
});
