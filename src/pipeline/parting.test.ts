import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { Delta } from '../core/delta.ts';
import { Meter } from '../settlement/meter.ts';
import { Parting } from './parting.ts';

/** Bounds of what is read for a client that has gone; over sockets in test/http/who-leaves.test.ts. */

function parting(isOver: boolean, next: () => Promise<IteratorResult<readonly Delta[], undefined>>) {
  const meter = new Meter();
  const made = new Parting(meter);
  let aborted = 0;
  made.opened({ isOver, next });
  const abort = () => {
    aborted += 1;
  };
  return { meter, made, abort, aborted: () => aborted };
}

const never = () => new Promise<never>(() => {});

test('an answer that is not over, or has not begun, is left at once', () => {
  const { made, abort, aborted } = parting(false, never);
  assert.deepEqual([made.leave(abort), made.isLeft, aborted()], [false, false, 0]);
  assert.equal(new Parting(new Meter()).leave(abort), false);
});

test('a usage that does not come is waited for ten seconds', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const { made, abort, aborted } = parting(true, never);
  assert.deepEqual([made.leave(abort), made.isLeft], [true, true]);
  let isRead = false;
  const reading = made.readOn().then(() => {
    isRead = true;
  });
  mock.timers.tick(9_999);
  await Promise.resolve();
  assert.deepEqual([aborted(), isRead], [0, false]);
  mock.timers.tick(1);
  assert.equal(aborted(), 1);
  await reading;
});

test('a provider that goes on without end is left after 64 kB', async () => {
  let batches = 0;
  const batch = [{ kind: 'text', block: 0, text: 'x'.repeat(1_000) }] as const;
  const { meter, made, abort, aborted } = parting(true, async () => {
    batches += 1;
    return { done: false, value: batch };
  });
  made.leave(abort);
  await made.readOn();
  made.end();
  assert.ok(batches > 50 && batches <= 64, String(batches));
  assert.equal(meter.bytes, batches * 1_000, 'what was read is counted');
  assert.equal(aborted(), 1, 'the request ends with it');
});

test('it is read until the usage is there, and not beyond', async () => {
  const sent: (readonly Delta[])[] = [
    [{ kind: 'end', block: 0 }],
    [
      { kind: 'usage', usage: { output: 700 } },
      { kind: 'finish', reason: 'stop' },
    ],
  ];
  const { meter, made } = parting(true, async () => {
    const value = sent.shift();
    assert.ok(value, 'there is nothing more to read');
    return { done: false, value };
  });
  await made.readOn();
  assert.equal(meter.usage?.output, 700);
});

test('once the call is over, leaving waits for nothing', async () => {
  const ended = parting(true, never);
  ended.made.end();
  assert.equal(ended.made.leave(ended.abort), false);
  const closed = parting(true, never);
  await closed.made.close();
  assert.equal(closed.made.leave(closed.abort), false);
});
