import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SettleQueue } from './settle-queue.ts';

/** A queue whose transactions end when the test says so. */
function controlledQueue() {
  const batches: { readonly ids: readonly string[]; readonly end: PromiseWithResolvers<void> }[] = [];
  const commit = (lines: readonly string[]) => {
    const end = Promise.withResolvers<void>();
    batches.push({ ids: lines, end });
    return end.promise;
  };
  const queue = new SettleQueue(commit, () => Promise.resolve());
  return { batches, queue };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('what comes while a transaction runs shares the next one', async () => {
  const { batches, queue } = controlledQueue();
  const done: string[] = [];
  const add = (id: string) => queue.add(id).then(() => done.push(id));
  void add('a');
  void add('b');
  await turn();
  void add('c');
  await turn();
  void add('d');
  await turn();
  assert.deepEqual(
    batches.map((batch) => batch.ids),
    [['a', 'b']],
  );
  assert.deepEqual(done, []);
  batches[0]?.end.resolve();
  await turn();
  assert.deepEqual(done, ['a', 'b']);
  assert.deepEqual(batches[1]?.ids, ['c', 'd']);
  batches[1]?.end.resolve();
  await queue.idle();
  assert.deepEqual(done, ['a', 'b', 'c', 'd']);
});

test('a failed transaction rejects its own callers and nobody else', async () => {
  const { batches, queue } = controlledQueue();
  const first = assert.rejects(Promise.all([queue.add('a'), queue.add('b')]), /disk full/);
  await turn();
  const second = queue.add('c');
  batches[0]?.end.reject(new Error('disk full'));
  await first;
  await turn();
  batches[1]?.end.resolve();
  await second;
  await queue.idle();
});

test('one transaction takes no more than a thousand', async () => {
  const { batches, queue } = controlledQueue();
  const all = Promise.all(Array.from({ length: 2500 }, (_, index) => queue.add(String(index))));
  for (let batch = 0; batch < 3; batch += 1) {
    await turn();
    batches[batch]?.end.resolve();
  }
  await all;
  assert.deepEqual(
    batches.map((batch) => batch.ids.length),
    [1000, 1000, 500],
  );
});

test('what found a transaction running waits a little for company', async () => {
  const gathering = Promise.withResolvers<void>();
  const batches: (readonly string[])[] = [];
  const commit = async (lines: readonly string[]) => batches.push(lines);
  const queue = new SettleQueue(commit, () => gathering.promise);
  const first = queue.add('lone');
  await Promise.resolve();
  await Promise.resolve();
  const second = queue.add('b');
  await first;
  await turn();
  assert.deepEqual(batches, [['lone']], 'a lone booking waits for nobody');
  const third = queue.add('c');
  gathering.resolve();
  await Promise.all([second, third]);
  assert.deepEqual(batches, [['lone'], ['b', 'c']]);
});
