import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RequestLifecycle } from './request-lifecycle.ts';

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

test('requests that outlast the drain timeout are aborted and awaited', async () => {
  const lifecycle = new RequestLifecycle();
  const over = lifecycle.begin((reason) => {
    assert.match(String(reason), /shutting down/);
    over();
  }, false);
  await lifecycle.drain(1);
});

test('in whatever order requests end, once or twice, only running ones are counted and aborted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), fc.nat(9)), { maxLength: 40 }), async (steps) => {
      const lifecycle = new RequestLifecycle();
      const told: number[] = [];
      const begun: { readonly over: () => void; readonly streamed: boolean }[] = [];
      const running = new Set<number>();
      for (const [begins, which] of steps) {
        if (begins) {
          const number = begun.length;
          const streamed = which % 2 === 0;
          const over = lifecycle.begin(() => {
            told.push(number);
            over();
          }, streamed);
          begun.push({ over, streamed });
          running.add(number);
        } else if (which < begun.length) {
          begun[which]?.over();
          running.delete(which);
        }
        const streams = [...running].filter((number) => begun[number]?.streamed).length;
        assert.deepEqual(lifecycle.traffic, { running: running.size, streams });
      }
      await lifecycle.drain(0);
      assert.deepEqual(new Set(told), running);
      assert.equal(told.length, running.size);
      assert.equal(lifecycle.busy, false);
    }),
  );
});
