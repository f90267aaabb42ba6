import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRawKey } from '../../src/core/api-key.ts';
import { modelOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';
import { defaultLimits } from '../support/limits.ts';
import { readMetrics } from '../support/read-metrics.ts';

test('guessing keys costs few lookups, and a key that works is served from the same address', async () => {
  const limits = { ...defaultLimits, failedAuthentication: { perMinute: 20 } };
  const gateway = await startGateway({ models: [modelOf('acme/atlas-4', [])], config: { limits } });
  let lookups = 0;
  const { callers } = gateway.storage;
  const { read } = callers;
  callers.read = (hashes, now) => {
    lookups += hashes.length;
    return read.call(callers, hashes, now);
  };
  try {
    assert.equal((await gateway.get('/api/v1/key')).status, 200);
    const own = lookups;
    const guess = async () => {
      const authorization = `Bearer ${createRawKey()}`;
      const response = await gateway.get('/api/v1/key', { authorization });
      await response.text();
      return response;
    };
    const statuses: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const some = await Promise.all(Array.from({ length: 50 }, guess));
      statuses.push(...some.map(({ status }) => status));
      assert.equal((await gateway.get('/api/v1/key')).status, 200, 'a key that is known');
    }
    const rejected = statuses.filter((status) => status === 401).length;
    assert.equal(statuses.filter((status) => status === 429).length, 1000 - rejected);
    // Those of one round were sent before any of them had failed; afterwards one a second is looked up.
    assert.ok(rejected <= 50 + 20 + 60, `${rejected} were looked up`);
    assert.ok(lookups - own <= rejected + 60, `${lookups - own} lookups`);
    // One a second is looked up, so of two in a row the second is not.
    const next = await guess();
    const throttled = next.status === 429 ? next : await guess();
    assert.deepEqual([throttled.status, throttled.headers.get('retry-after')], [429, '1']);
    const limit = (name: string) => Number(throttled.headers.get(`x-ratelimit-${name}`));
    assert.deepEqual([limit('limit'), limit('remaining')], [20, 0]);
    assert.ok(Math.abs(limit('reset') - Date.now()) < 60_000);
    const fresh = await gateway.createKey();
    let isServed = false;
    for (let tries = 0; tries < 5 && !isServed; tries += 1) {
      isServed = (await gateway.get('/api/v1/key', { authorization: `Bearer ${fresh}` })).status === 200;
      if (!isServed) await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    assert.ok(isServed, 'a key that nobody has used yet gets through within a second or two');
    const metrics = readMetrics(await (await gateway.get('/metrics')).text());
    assert.ok((metrics.get('headgate_failed_authentications_total{reason="throttled"}') ?? 0) > 800);
  } finally {
    await gateway.stop();
  }
});
