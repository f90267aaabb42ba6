import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { LoadGuard } from './load-guard.ts';

/** A guard whose measures the test sets; garbage is what a collection takes off the heap. */
function guarded(t: TestContext) {
  const state = { heap: 0, garbage: 0, now: 0, busy: 0, collections: 0 };
  const guard = new LoadGuard({
    heap: () => state.heap,
    collect: () => {
      state.collections += 1;
      state.heap -= state.garbage;
      state.garbage = 0;
    },
    now: () => state.now,
    busy: () => state.busy,
  });
  t.after(() => guard.close());
  const after = (passed: number, busy: number) => {
    state.now += passed;
    state.busy += busy;
    guard.look();
    return guard.overload;
  };
  return { state, after };
}

test('a full heap refuses requests until a good part of it is free', (t) => {
  const { state, after } = guarded(t);
  state.heap = 0.85;
  assert.equal(after(250, 10), undefined);
  state.heap = 0.95;
  assert.equal(after(250, 10), 'memory');
  state.heap = 0.85;
  assert.equal(after(250, 10), 'memory');
  state.heap = 0.75;
  assert.equal(after(250, 10), undefined);
});

test('a heap full of garbage is collected first, now and then', (t) => {
  const { state, after } = guarded(t);
  Object.assign(state, { heap: 0.95, garbage: 0.5 });
  assert.equal(after(250, 10), undefined);
  assert.equal(state.collections, 1);
  Object.assign(state, { heap: 0.95, garbage: 0.5 });
  assert.equal(after(250, 10), 'memory', 'it is not known how much is garbage');
  assert.equal(state.collections, 1);
  assert.equal(after(6_000, 10), undefined);
  assert.equal(state.collections, 2);
});

test('an event loop that is late again and again refuses requests, one that others keep from running does not', (t) => {
  const { after } = guarded(t);
  assert.equal(after(3_000, 2_900), undefined, 'once');
  assert.equal(after(3_000, 2_900), 'event_loop');
  assert.equal(after(260, 200), undefined);
  assert.equal(after(3_000, 100), undefined);
  assert.equal(after(3_000, 100), undefined);
});
