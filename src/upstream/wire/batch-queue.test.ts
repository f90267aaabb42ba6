import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BatchQueue } from './batch-queue.ts';

async function take<T>(queue: BatchQueue<T>): Promise<readonly T[] | undefined> {
  return (await queue.next()).value;
}

test('what came since the last time is one batch, then comes the end', async () => {
  const queue = new BatchQueue<string>(() => undefined);
  queue.push(['a'], 1);
  queue.push(['b', 'c'], 1);
  assert.deepEqual(await take(queue), ['a', 'b', 'c']);
  queue.push(['d'], 1);
  queue.end();
  queue.push(['late'], 1);
  assert.deepEqual(await take(queue), ['d']);
  assert.equal(await take(queue), undefined);
});

test('a waiting reader gets what arrives first, then all that came since', async () => {
  const queue = new BatchQueue<string>(() => undefined);
  const waiting = take(queue);
  queue.push(['a'], 1);
  queue.push(['b'], 1);
  queue.push(['c'], 1);
  assert.deepEqual(await waiting, ['a']);
  assert.deepEqual(await take(queue), ['b', 'c']);
});

test('it is full by number or by bytes, and reports when it was emptied', async () => {
  let drained = 0;
  const queue = new BatchQueue<number>(() => {
    drained += 1;
  });
  queue.push(Array(511).fill(0), 10);
  assert.equal(queue.full, false);
  queue.push([0], 10);
  assert.equal(queue.full, true);
  assert.equal((await take(queue))?.length, 512);
  assert.equal(drained, 1);
  assert.equal(queue.full, false);
  queue.push([0], 64 * 1024);
  assert.equal(queue.full, true);
});

test('a failure comes after what arrived before it, an abort at once', async () => {
  const failing = new BatchQueue<string>(() => undefined);
  failing.push(['a'], 1);
  failing.fail(new Error('broken'));
  assert.deepEqual(await take(failing), ['a']);
  await assert.rejects(take(failing), /broken/);
  const aborted = new BatchQueue<string>(() => undefined);
  aborted.push(['a'], 1);
  aborted.abort(new Error('gone'));
  await assert.rejects(take(aborted), /gone/);
});

test('a waiting reader hears of the end, and of the first failure', async () => {
  const ended = new BatchQueue<string>(() => undefined);
  const end = take(ended);
  ended.end();
  assert.equal(await end, undefined);
  const failed = new BatchQueue<string>(() => undefined);
  const failure = take(failed);
  failed.fail(new Error('broken'));
  failed.end();
  await assert.rejects(failure, /broken/);
});
