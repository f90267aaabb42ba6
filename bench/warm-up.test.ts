import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWarm, warmUp } from './warm-up.ts';

/** Batches of many answers, by what one answer cost. */
const batches = (...costs: number[]) => costs.map((cost) => ({ cost, answers: 5_000 }));

test('a gateway is warm after two batches in a row that brought less than 3 %', () => {
  assert.equal(isWarm(batches()), false);
  assert.equal(isWarm(batches(100)), false);
  assert.equal(isWarm(batches(100, 90, 80)), false);
  assert.equal(isWarm(batches(100, 90, 89)), false);
  assert.equal(isWarm(batches(100, 90, 89, 88)), true);
});

test('one expensive batch does not make a gateway warm that still becomes cheaper', () => {
  assert.equal(isWarm(batches(100, 130, 90)), false);
  assert.equal(isWarm(batches(100, 130, 90, 91, 120)), true);
});

test('gains too small for one batch count once they add up', () => {
  assert.equal(isWarm(batches(100, 98, 96)), false);
});

test('a gateway that has answered little is not warm, however even its batches are', () => {
  const few = [100, 100, 100].map((cost) => ({ cost, answers: 1_000 }));
  assert.equal(isWarm(few), false);
  assert.equal(isWarm([...few, { cost: 99, answers: 7_000 }]), true);
});

test('warming up ends at its limit', async () => {
  let cost = 1;
  const order = {
    shot: { port: 1, request: '', streamed: false, marks: { first: 'a', last: 'b' }, varies: [] },
    connections: 1,
  };
  const result = await warmUp(order, { batch: 1, batches: 5 }, async () => {
    cost /= 2;
    return { cost, answers: 10_000 };
  });
  assert.deepEqual(result, { batches: 5, warm: false });
});
