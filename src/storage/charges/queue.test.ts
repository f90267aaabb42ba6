import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SettleQueue, waitUntilIdle } from './queue.ts';

/** A queue whose transactions end when the test says so. */
function controlledQueue() {
  const batches: { readonly ids: readonly string[]; readonly end: PromiseWithResolvers<void> }[] = [];
  const commit = (lines: readonly string[]) => {
    const end = Promise.withResolvers<void>();
    batches.push({ ids: lines, end });
    return end.promise.then(() => undefined);
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

test('what comes while others wait for company goes with them', async () => {
  const gatherings: PromiseWithResolvers<void>[] = [];
  const gather = () => {
    const gathering = Promise.withResolvers<void>();
    gatherings.push(gathering);
    return gathering.promise;
  };
  const batches: (readonly string[])[] = [];
  const queue = new SettleQueue(async (lines: readonly string[]) => {
    batches.push(lines);
    return undefined;
  }, gather);
  const first = queue.add('a');
  await turn();
  const second = queue.add('b');
  await turn();
  assert.deepEqual(batches, []);
  gatherings[0]?.resolve();
  await Promise.all([first, second]);
  const third = queue.add('c');
  await turn();
  assert.deepEqual(batches, [['a', 'b']], 'the next ones gather anew');
  gatherings[1]?.resolve();
  await third;
  assert.deepEqual(batches, [['a', 'b'], ['c']]);
});

test('an idle process gathers for no time to speak of, a busy one no longer than the limit', async () => {
  // Turns are counted, not milliseconds: how long they take is the machine's doing.
  let turns = 0;
  let counting = true;
  const count = () => {
    turns += 1;
    if (counting) setImmediate(count);
  };
  setImmediate(count);
  await waitUntilIdle(60_000);
  assert.ok(turns < 1000, `${turns} turns went by`);
  counting = false;

  let busy = true;
  const work = () => {
    const end = performance.now() + 1;
    while (performance.now() < end);
    if (busy) setImmediate(work);
  };
  setImmediate(work);
  const began = performance.now();
  await waitUntilIdle(20);
  busy = false;
  assert.ok(performance.now() - began >= 20, 'work that keeps coming is waited for up to the limit');
});
