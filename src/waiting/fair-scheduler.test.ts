import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairScheduler } from './fair-scheduler.ts';

/**
 * What was seen once there is so much of it, of which each turn brought one at most. How many turns that takes depends on the machine: a
 * task that it kept waiting counts as a long one.
 */
async function byTurns(seen: readonly string[], count: number): Promise<readonly string[]> {
  while (seen.length < count) {
    const before = seen.length;
    await new Promise(setImmediate);
    assert.ok(seen.length <= before + 1);
  }
  return seen;
}

test('tasks that take long have a turn each, and others get turns in between', async () => {
  const turns = new FairScheduler();
  const seen: string[] = [];
  const work = (name: string) => () => {
    seen.push(name);
    const until = performance.now() + 3;
    while (performance.now() < until);
  };
  turns.add(work('first'));
  turns.add(work('second'));
  assert.deepEqual(await byTurns(seen, 2), ['first', 'second']);
});

test('what callers do after they joined counts, also after further promises: long work has a turn of its own', async () => {
  const turns = new FairScheduler();
  const seen: string[] = [];
  const work = async (name: string) => {
    await turns.join();
    await Promise.resolve();
    seen.push(name);
    const until = performance.now() + 3;
    while (performance.now() < until);
  };
  const all = [work('first'), work('second'), work('third')];
  assert.deepEqual(await byTurns(seen, 3), ['first', 'second', 'third']);
  await Promise.all(all);
});

test('short tasks share a turn, and one that has more to do waits behind the others', async () => {
  const turns = new FairScheduler();
  const seen: string[] = [];
  turns.add(() => {
    seen.push('a');
    turns.add(() => seen.push('rest of a'));
  });
  turns.add(() => seen.push('b'));
  while (seen.length < 3) await new Promise(setImmediate);
  assert.deepEqual(seen, ['a', 'b', 'rest of a']);
  turns.add(() => seen.push('later'));
  while (seen.length < 4) await new Promise(setImmediate);
  assert.equal(seen.at(-1), 'later');
});

test('tasks that add themselves again run once a turn, however many there are', async () => {
  const turns = new FairScheduler();
  const busy = (milliseconds: number) => {
    const until = performance.now() + milliseconds;
    while (performance.now() < until);
  };
  let runs = 0;
  let isOver = false;
  const again = () => {
    runs += 1;
    busy(0.3);
    if (!isOver) turns.add(again);
  };
  for (let task = 0; task < 20; task += 1) turns.add(again);
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  isOver = true;
  assert.ok(runs <= 60, `${runs}`);
});

const work = (milliseconds: number) => {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
};

test('after a long task, what needs several turns is done before the next one begins', async () => {
  const turns = new FairScheduler();
  const begun: number[] = [];
  const ended: number[] = [];
  const task = () => {
    begun.push(performance.now());
    work(60);
    ended.push(performance.now());
  };
  turns.add(task);
  turns.add(task);
  let turnsBetween = 0;
  while (ended.length < 2) {
    await new Promise(setImmediate);
    if (ended.length === 1) turnsBetween += 1;
  }
  // Never idle, so the second waits until others have had three times the time of the first, however few turns a slow machine makes of it.
  assert.ok((begun[1] ?? 0) - (ended[0] ?? 0) >= 180 * 0.98, `${begun} ${ended}`);
  assert.ok(turnsBetween > 0);
});

test('long tasks go on at once where there is nothing else, and after their share of the time where there always is', async () => {
  const turns = new FairScheduler();
  /** Milliseconds between the end of a task and the begin of the next one, the shortest first. */
  const rests = async () => {
    const found: number[] = [];
    let ended = 0;
    await new Promise<void>((resolve) => {
      const task = () => {
        if (ended > 0) found.push(performance.now() - ended);
        work(20);
        ended = performance.now();
        if (found.length === 7) resolve();
      };
      for (let count = 0; count < 8; count += 1) turns.add(task);
    });
    return found.sort((one, other) => one - other);
  };
  // The shortest of them, because a busy machine can make each of the others as long as it likes.
  const [alone = 0] = await rests();
  let isOver = false;
  const busy = () => {
    work(1);
    if (!isOver) setImmediate(busy);
  };
  busy();
  const [beside = 0] = await rests();
  isOver = true;
  assert.ok(alone < 30, `${alone} ms alone`);
  // Three times as long as the tasks.
  assert.ok(beside >= 60 * 0.98, `${beside} ms`);
});
