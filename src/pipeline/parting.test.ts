import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { Delta } from '../core/delta.ts';
import { Meter } from '../settlement/meter.ts';
import { Parting } from './parting.ts';
import { ClientGone } from './services.ts';

/** Bounds of what is read for a client that has gone; over sockets in test/http/who-leaves.test.ts. */
const gone = new ClientGone('The client closed the connection.');

function parting(isOver: boolean, next: () => Promise<IteratorResult<readonly Delta[], undefined>>) {
  const request = new AbortController();
  const meter = new Meter();
  const made = new Parting(request.signal, meter);
  let closed = 0;
  const close = async () => {
    closed += 1;
    return { done: true, value: undefined } as const;
  };
  made.opened({ isOver, next, return: close });
  return { request, meter, made, closed: () => closed };
}

const never = () => new Promise<never>(() => {});

test('an answer that is not over is left at once, whoever ends it', () => {
  const early = parting(false, never);
  early.request.abort(gone);
  assert.equal(early.made.signal.reason, gone);
  const late = parting(true, never);
  const deadline = new Error('too late');
  late.request.abort(deadline);
  assert.equal(late.made.signal.reason, deadline, 'only clients are waited for');
});

test('a usage that does not come is waited for ten seconds', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const { request, made, closed } = parting(true, () => {
    return new Promise((_, reject) => {
      made.signal.addEventListener('abort', () => reject(made.signal.reason as Error));
    });
  });
  request.abort(gone);
  const reading = made.readOn();
  mock.timers.tick(9_999);
  assert.equal(made.signal.aborted, false);
  mock.timers.tick(1);
  assert.equal(made.signal.aborted, true);
  await reading;
  await made.close();
  assert.equal(closed(), 1);
});

test('a provider that goes on without end is left after 64 kB', async () => {
  let batches = 0;
  const batch = [{ kind: 'text', block: 0, text: 'x'.repeat(1_000) }] as const;
  const { request, meter, made } = parting(true, async () => {
    batches += 1;
    return { done: false, value: batch };
  });
  request.abort(gone);
  await made.readOn();
  made.end();
  assert.ok(batches > 50 && batches <= 64, String(batches));
  assert.equal(meter.bytes, batches * 1_000, 'what was read is counted');
});

test('it is read until the usage is there, and not beyond', async () => {
  const sent: (readonly Delta[])[] = [
    [{ kind: 'end', block: 0 }],
    [
      { kind: 'usage', usage: { output: 700 } },
      { kind: 'finish', reason: 'stop' },
    ],
  ];
  const { request, meter, made } = parting(true, async () => {
    const value = sent.shift();
    assert.ok(value, 'there is nothing more to read');
    return { done: false, value };
  });
  request.abort(gone);
  await made.readOn();
  made.end();
  assert.equal(meter.usage?.output, 700);
});
