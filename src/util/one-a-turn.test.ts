import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OneATurn } from './one-a-turn.ts';

test('tasks begin in their order, each in a turn of its own', async () => {
  const tasks = new OneATurn();
  const seen: string[] = [];
  tasks.add(() => {
    seen.push('first');
    tasks.add(() => seen.push('third'));
  });
  tasks.add(() => seen.push('second'));
  for (let turn = 1; turn <= 3; turn += 1) {
    await new Promise(setImmediate);
    assert.ok(seen.length <= turn, seen.join());
  }
  await new Promise(setImmediate);
  assert.deepEqual(seen, ['first', 'second', 'third']);
});
