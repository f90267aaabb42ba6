import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LimitWaits } from './limit-waits.ts';

const rules = { patience: 60_000, poll: 50_000, room: 8 };

function open(change: Partial<typeof rules> = {}) {
  const waits = new LimitWaits({ ...rules, ...change });
  const enter = (account: string, limit = 'a', signal?: AbortSignal) =>
    waits.enter(account, limit, { deadline: waits.deadline(), signal });
  return { waits, enter };
}

test('only the first request of a line tries again when a hold ends, the next one when it has left', async () => {
  const { waits, enter } = open();
  const [first, second] = [enter('one'), enter('one')];
  assert.ok(first && second);
  const order: string[] = [];
  const waiting = [
    first.next().then(() => order.push('first')),
    second.next().then(() => order.push('second')),
  ];
  waits.released('another');
  waits.released('one');
  await waiting[0];
  assert.deepEqual(order, ['first']);
  first.leave();
  await waiting[1];
  assert.deepEqual(order, ['first', 'second']);
  second.leave();
  assert.equal(waits.size, 0);
});

test('a hold that ends while the first request tries makes it try once more', async () => {
  const { waits, enter } = open();
  const first = enter('one');
  assert.ok(first);
  waits.released('one');
  assert.equal(await first.next(), true);
  first.leave();
});

test('an account waits with as many requests as there is room left, so that another one always finds some', () => {
  const { waits, enter } = open();
  const turns = Array.from({ length: 8 }, () => enter('one'));
  assert.equal(turns.filter((turn) => turn !== undefined).length, 4);
  const others = Array.from({ length: 8 }, () => enter('two', 'b'));
  assert.equal(others.filter((turn) => turn !== undefined).length, 2);
  assert.ok(enter('three'));
  assert.equal(waits.size, 7);
  turns[0]?.leave();
  turns[0]?.leave();
  assert.equal(waits.size, 6, 'it leaves once');
  assert.equal(enter('one'), undefined);
});

test('a request stops to wait when its time is up, or when it is over', async () => {
  const { enter } = open({ patience: 30 });
  assert.equal(await enter('one')?.next(), false);
  const controller = new AbortController();
  const waiting = open().enter('one', 'a', controller.signal)?.next();
  controller.abort();
  assert.equal(await waiting, false);
  assert.equal(await open().enter('one', 'a', controller.signal)?.next(), false, 'it was over before');
});

test('the first request looks again by itself now and then: another process may have released something', async () => {
  const { enter } = open({ poll: 10 });
  const [first, second] = [enter('one'), enter('one')];
  assert.ok(first && second);
  let woken = false;
  const next = second.next().then(() => {
    woken = true;
  });
  for (let time = 0; time < 3; time += 1) assert.equal(await first.next(), true);
  assert.equal(woken, false);
  first.leave();
  await next;
});

test('without patience nobody waits', () => {
  assert.equal(open({ patience: 0 }).enter('one'), undefined);
});
