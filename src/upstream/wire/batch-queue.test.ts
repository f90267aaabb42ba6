import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BatchQueue } from './batch-queue.ts';

test('batches come out in order, then the end', async () => {
  const queue = new BatchQueue<string>(() => undefined);
  queue.push('a', 1);
  queue.push('b', 1);
  queue.end();
  queue.push('late', 1);
  assert.deepEqual([await queue.take(), await queue.take(), await queue.take()], ['a', 'b', undefined]);
});

test('a reader that waits gets the batch without its being kept', async () => {
  const queue = new BatchQueue<string>(() => assert.fail('nothing was kept'));
  const waiting = queue.take();
  queue.push('a', 1_000_000);
  assert.equal(queue.full, false);
  assert.equal(await waiting, 'a');
});

test('it is full by number or by bytes, and tells when it was emptied', async () => {
  let drained = 0;
  const queue = new BatchQueue<number>(() => {
    drained += 1;
  });
  for (let count = 0; count < 15; count++) queue.push(count, 10);
  assert.equal(queue.full, false);
  queue.push(15, 10);
  assert.equal(queue.full, true);
  for (let count = 0; count < 16; count++) assert.equal(await queue.take(), count);
  assert.equal(drained, 1);
  queue.push(0, 64 * 1024);
  assert.equal(queue.full, true);
  await queue.take();
  assert.equal(queue.full, false);
});

test('a failure comes after what arrived before it, an abort at once', async () => {
  const failing = new BatchQueue<string>(() => undefined);
  failing.push('a', 1);
  failing.fail(new Error('broken'));
  assert.equal(await failing.take(), 'a');
  await assert.rejects(failing.take(), /broken/);
  const aborted = new BatchQueue<string>(() => undefined);
  aborted.push('a', 1);
  aborted.abort(new Error('gone'));
  await assert.rejects(aborted.take(), /gone/);
});

test('a waiting reader hears of the end, and of a failure', async () => {
  const ended = new BatchQueue<string>(() => undefined);
  const end = ended.take();
  ended.end();
  assert.equal(await end, undefined);
  const failed = new BatchQueue<string>(() => undefined);
  const failure = failed.take();
  failed.fail(new Error('broken'));
  failed.end();
  await assert.rejects(failure, /broken/);
});
