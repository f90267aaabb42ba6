import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MicroBatch } from './micro-batch.ts';

test('a process with time to spare begins tasks in the turn they came in', async () => {
  const begun: string[] = [];
  const batch = new MicroBatch(8, () => 0);
  batch.add(() => begun.push('first'));
  await nextTurn();
  assert.deepEqual(begun, ['first']);
});

test('a task that comes alone begins after one turn without another', async () => {
  const begun: string[] = [];
  const batch = new MicroBatch(8, () => 5);
  batch.add(() => begun.push('alone'));
  assert.deepEqual(begun, []);
  await nextTurn();
  // The first look saw it arrive, the second that nothing else did.
  await nextTurn();
  assert.deepEqual(begun, ['alone']);
});

test('tasks of one turn run stage by stage: all first steps before any second one', async () => {
  const steps: string[] = [];
  const batch = new MicroBatch();
  for (const name of ['a', 'b', 'c']) {
    batch.add(() => {
      steps.push(`${name}1`);
      void Promise.resolve().then(() => steps.push(`${name}2`));
    });
  }
  await nextTurn();
  assert.deepEqual(steps, ['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
});

test('while each turn brings another task, all wait for it; a turn without one begins them', async () => {
  const begun: number[] = [];
  // Patient, so that a slow machine changes nothing.
  const batch = new MicroBatch(100, () => Number.POSITIVE_INFINITY);
  for (const number of [1, 2, 3]) {
    batch.add(() => begun.push(number));
    assert.deepEqual(begun, []);
    await nextTurn();
  }
  await nextTurn();
  await nextTurn();
  assert.deepEqual(begun, [1, 2, 3]);
});

test('a batch that is full begins, although more tasks arrive', async () => {
  const begun: number[] = [];
  const batch = new MicroBatch(2);
  batch.add(() => begun.push(1));
  batch.add(() => begun.push(2));
  await nextTurn();
  assert.deepEqual(begun, [1, 2]);
});

test('tasks that keep arriving do not hold up the first one for ever', async () => {
  let begun = false;
  const batch = new MicroBatch(Number.POSITIVE_INFINITY, () => 5);
  batch.add(() => {
    begun = true;
  });
  let turns = 0;
  while (!begun) {
    batch.add(() => {});
    turns += 1;
    await nextTurn();
  }
  assert.ok(turns > 1);
});

test('a task added while a batch begins belongs to the next one', async () => {
  const begun: string[] = [];
  const batch = new MicroBatch();
  batch.add(() => {
    begun.push('first');
    batch.add(() => begun.push('second'));
  });
  await nextTurn();
  assert.deepEqual(begun, ['first']);
  await nextTurn();
  assert.deepEqual(begun, ['first', 'second']);
});

test('joining resolves with the batch', async () => {
  const batch = new MicroBatch();
  const joined: number[] = [];
  await Promise.all([1, 2].map((number) => batch.join().then(() => joined.push(number))));
  assert.deepEqual(joined, [1, 2]);
});
