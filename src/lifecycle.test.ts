import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestLifecycle } from './lifecycle.ts';

test('a server is ready once it was opened, and no longer once it drains', async () => {
  const lifecycle = new RequestLifecycle();
  assert.deepEqual(
    [lifecycle.ready, lifecycle.draining],
    [false, false],
    'its first keys are not stored yet',
  );
  lifecycle.open();
  assert.deepEqual([lifecycle.ready, lifecycle.draining], [true, false]);
  const over = lifecycle.begin(() => assert.fail('it had time'), true);
  const drained = lifecycle.drain(60_000);
  assert.deepEqual([lifecycle.ready, lifecycle.draining], [false, true]);
  assert.deepEqual(lifecycle.traffic, { running: 1, streams: 1 });
  over();
  await drained;
  assert.deepEqual(lifecycle.traffic, { running: 0, streams: 0 });
});

test('what outlasts the drain timeout is told to give up and awaited', async () => {
  const lifecycle = new RequestLifecycle();
  const over = lifecycle.begin((reason) => {
    assert.match(String(reason), /shutting down/);
    over();
  }, false);
  await lifecycle.drain(1);
});
