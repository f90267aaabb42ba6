import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram } from './gateway-counters.ts';

test('a value falls into the first bucket whose bound it does not exceed', () => {
  const histogram = new Histogram([0.5, 1, 2]);
  for (const value of [0, 0.5, 0.75, 2, 2.5, 100]) histogram.observe(value);
  assert.deepEqual(histogram.counts, [2, 1, 1, 2]);
  assert.equal(histogram.sum, 105.75);
});
