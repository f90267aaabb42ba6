import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DependencyHealth, serviceOf } from './dependency-health.ts';

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
  const health = new DependencyHealth(storage, () => 'ok', { patience: 20 });
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

test('without the shared state a process still serves, without a place to book it does not', () => {
  const fine = { database: 'ok', journal: 'ok', shared_state: 'ok' } as const;
  assert.equal(serviceOf(fine), 'ok');
  assert.equal(serviceOf({ ...fine, shared_state: 'local' }), 'degraded');
  assert.equal(serviceOf({ ...fine, shared_state: 'unreachable' }), 'degraded');
  assert.equal(serviceOf({ ...fine, database: 'unreachable' }), 'unavailable');
  assert.equal(serviceOf({ ...fine, journal: 'unwritable' }), 'unavailable');
});

test('without room for an outage a process continues to serve, and reports why', async () => {
  const told: unknown[] = [];
  const storage = { writable: true, roomFailure: new Error('read-only'), ping: () => Promise.resolve() };
  const health = new DependencyHealth(storage, () => 'ok', {
    onChange: ({ state }, reason) => told.push([state, reason]),
  });
  const states = await health.check();
  assert.deepEqual(states, { database: 'ok', journal: 'no_room', shared_state: 'ok' });
  assert.equal(serviceOf(states), 'degraded');
  await health.check();
  assert.deepEqual(told, [['no_room', storage.roomFailure]]);
});

test('each change is reported once, with its reason, without a request', async () => {
  const told: unknown[] = [];
  let failure: Error | undefined;
  let asked = 0;
  const storage = {
    writable: true,
    failure: new Error('not asked for'),
    ping: () => {
      asked += 1;
      return failure === undefined ? Promise.resolve() : Promise.reject(failure);
    },
  };
  const looks = async (times: number) => {
    const before = asked;
    while (asked < before + times) await sleep(1);
  };
  const health = new DependencyHealth(storage, () => 'ok', {
    pause: 1,
    repeat: 0,
    onChange: ({ dependency, state }, reason) => told.push([dependency, state, reason]),
  });
  health.watch();
  await looks(3);
  assert.deepEqual(told, []);
  failure = new Error('gone');
  storage.failure = new Error('full');
  storage.writable = false;
  await looks(3);
  const lost = [
    ['database', 'unreachable', failure],
    ['journal', 'unwritable', storage.failure],
  ];
  assert.deepEqual(told.splice(0), lost);
  failure = new Error('refused', { cause: new Error('another password') });
  await looks(3);
  assert.deepEqual(told.splice(0), [['database', 'unreachable', failure]], 'it is back, but not for us');
  failure = undefined;
  storage.writable = true;
  await looks(3);
  const restored = [
    ['database', 'ok', undefined],
    ['journal', 'ok', undefined],
  ];
  assert.deepEqual(told.splice(0), restored);
  health.close();
  failure = new Error('closed');
  await health.check();
  assert.deepEqual(told, []);
});
