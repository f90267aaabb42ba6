import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AttemptTimer, type TimeLimit } from './timeouts.ts';

const limits = { connect: 100, firstEvent: 500, idle: 200, total: 2_000 };

/** A timer under a clock that only moves on command. */
function start(context: TestContext, changes: Partial<typeof limits> = {}) {
  let now = 1_000;
  context.mock.method(performance, 'now', () => now);
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const expired: TimeLimit[] = [];
  const timer = new AttemptTimer({ ...limits, ...changes }, (limit) => expired.push(limit));
  const pass = (milliseconds: number) => {
    for (let step = 0; step < milliseconds; step++) {
      now += 1;
      context.mock.timers.tick(1);
    }
  };
  return { timer, expired, pass };
}

test('a connection that takes too long', (context) => {
  const { expired, pass } = start(context);
  pass(100);
  assert.deepEqual(expired, []);
  pass(2);
  assert.deepEqual(expired, ['connect']);
  pass(5_000);
  assert.deepEqual(expired, ['connect']);
});

test('an answer that does not begin counts from when the request was sent', (context) => {
  const { timer, expired, pass } = start(context);
  pass(90);
  timer.sent();
  timer.active();
  pass(500);
  assert.deepEqual(expired, []);
  pass(2);
  assert.deepEqual(expired, ['firstEvent']);
});

test('silence counts from the last sign of life', (context) => {
  const { timer, expired, pass } = start(context);
  timer.sent();
  timer.begun();
  for (let count = 0; count < 5; count++) {
    pass(190);
    timer.active();
  }
  pass(200);
  assert.deepEqual(expired, []);
  pass(2);
  assert.deepEqual(expired, ['idle']);
});

test('idle time does not count while nobody reads', (context) => {
  const { timer, expired, pass } = start(context);
  timer.sent();
  timer.begun();
  timer.hold();
  pass(1_500);
  timer.release();
  pass(199);
  assert.deepEqual(expired, []);
  pass(3);
  assert.deepEqual(expired, ['idle']);
});

test('the total limit ends what never falls silent', (context) => {
  const { timer, expired, pass } = start(context);
  timer.sent();
  timer.begun();
  for (let count = 0; count < 21; count++) {
    pass(100);
    timer.active();
  }
  assert.deepEqual(expired, ['total']);
});

test('a shorter limit in a later phase is not missed', (context) => {
  const { timer, expired, pass } = start(context, { connect: 1_000, idle: 20 });
  timer.sent();
  timer.begun();
  pass(22);
  assert.deepEqual(expired, ['idle']);
});

test('a stopped timer stays silent', (context) => {
  const { timer, expired, pass } = start(context);
  timer.stop();
  timer.sent();
  timer.begun();
  pass(5_000);
  assert.deepEqual(expired, []);
});
