import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStickyEndpoints } from './memory-sticky-endpoints.ts';

const north = { tag: 'north', credentialClass: 1 } as const;
const south = { tag: 'south', credentialClass: 0 } as const;

function begin(capacity: number) {
  const clock = { time: 0, now: () => clock.time };
  return { clock, sticky: new MemoryStickyEndpoints(clock, capacity) };
}

test('an entry lives for its lifetime, which restarts with each success', () => {
  const { clock, sticky } = begin(10);
  sticky.remember('a', north, 600_000);
  clock.time = 599_999;
  assert.deepEqual(sticky.find(['b', 'a']), [undefined, north]);
  sticky.remember('a', south, 600_000);
  clock.time = 1_199_998;
  assert.deepEqual(sticky.find(['a']), [south]);
  clock.time = 1_199_999;
  assert.deepEqual(sticky.find(['a']), [undefined]);
});

test('the conversations heard of last are kept', () => {
  const { sticky } = begin(2);
  sticky.remember('a', north, 1000);
  sticky.remember('b', north, 1000);
  sticky.remember('a', north, 1000);
  sticky.remember('c', north, 1000);
  assert.deepEqual(sticky.find(['a', 'b', 'c']), [north, undefined, north]);
});
