import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Outage } from './outage.ts';

test('whether the database is back is asked at intervals until it is, and no more after closing', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let probes = 0;
  let isBack = false;
  const outage = new Outage(async () => {
    probes += 1;
    if (!isBack) throw new Error('still away');
  }, 100);
  const pass = async () => {
    t.mock.timers.tick(100);
    await new Promise(setImmediate);
  };
  const first = new Error('away');
  outage.begin(first);
  outage.begin(new Error('away again'));
  t.mock.timers.tick(99);
  assert.equal(probes, 0);
  await pass();
  assert.deepEqual([probes, (outage.failure as Error).message], [1, 'still away']);
  isBack = true;
  await pass();
  assert.deepEqual([probes, outage.failure], [2, undefined]);
  await pass();
  assert.equal(probes, 2, 'while it is there nobody asks');

  outage.begin(first);
  outage.close();
  await pass();
  outage.begin(first);
  await pass();
  assert.deepEqual([probes, outage.failure], [2, first]);
});
