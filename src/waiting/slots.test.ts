import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slots } from './slots.ts';

const never = new AbortController().signal;

test('so many run, so many wait in their order, and the others are turned away', async () => {
  const slots = new Slots(2, 2);
  const began: number[] = [];
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<number>());
  const runs = gates.map(({ promise }, index) =>
    slots.run(() => {
      began.push(index);
      return promise;
    }, never),
  );
  assert.equal(await slots.run(async () => 9, never), undefined);
  assert.deepEqual(began, [0, 1]);
  gates[1]?.resolve(1);
  assert.equal(await runs[1], 1);
  await Promise.resolve();
  assert.deepEqual(began, [0, 1, 2]);
  for (const [index, gate] of gates.entries()) gate.resolve(index);
  assert.deepEqual(await Promise.all(runs), [0, 1, 2, 3]);
  assert.equal(await slots.run(async () => 5, never), 5);
});

test('a work that fails frees its slot, and one that is aborted while it waits takes none', async () => {
  const slots = new Slots(1, 5);
  const gate = Promise.withResolvers<void>();
  const first = slots.run(() => gate.promise, never);
  const leaving = new AbortController();
  const left = slots.run(async () => assert.fail('it left'), leaving.signal);
  const last = slots.run(async () => 3, never);
  leaving.abort(new Error('gone'));
  await assert.rejects(left, /gone/);
  gate.reject(new Error('broken'));
  await assert.rejects(first, /broken/);
  assert.equal(await last, 3);
  await assert.rejects(
    slots.run(async () => 1, leaving.signal),
    /gone/,
  );
});
