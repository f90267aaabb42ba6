import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DependencyHealth, isServiceable } from './dependency-health.ts';

const never = new Promise<void>(() => {});

test('an engine that hangs is unreachable within the time it has, and asked once at a time', async () => {
  let asked = 0;
  const storage = {
    writable: true,
    ping: () => {
      asked += 1;
      return asked === 1 ? never : Promise.resolve();
    },
  };
  const health = new DependencyHealth(storage, () => 'ok', 20);
  const both = await Promise.all([health.check(), health.check()]);
  assert.deepEqual(
    both.map(({ database }) => database),
    ['unreachable', 'unreachable'],
  );
  assert.equal(asked, 1);
  assert.equal((await health.check()).database, 'ok', 'the next one asks anew');
});

test('each dependency has a state of its own', async () => {
  const storage = { writable: false, ping: () => Promise.reject(new Error('gone')) };
  const states = await new DependencyHealth(storage, () => 'local').check();
  assert.deepEqual(states, { database: 'unreachable', journal: 'unwritable', shared_state: 'local' });
});

test('going on by own counts is well enough, nothing else that is amiss is', () => {
  const fine = { database: 'ok', journal: 'ok', shared_state: 'ok' } as const;
  assert.ok(isServiceable(fine));
  assert.ok(isServiceable({ ...fine, shared_state: 'local' }));
  assert.ok(!isServiceable({ ...fine, shared_state: 'unreachable' }));
  assert.ok(!isServiceable({ ...fine, database: 'unreachable' }));
  assert.ok(!isServiceable({ ...fine, journal: 'unwritable' }));
});
