import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { HeadgateError } from '../../src/core/errors.ts';
import { parseUsd } from '../../src/core/money.ts';
import { inFlightKeys } from '../../src/shared-state/redis/in-flight-scripts.ts';
import { unique } from '../conformance/fixtures.ts';
import { openProcess, shortTimes, until } from '../support/redis-processes.ts';
import { startRedisCluster } from '../support/start-redis-cluster.ts';

const terms = { budget: parseUsd(5), lease: 900_000, settlementWindow: 120_000 };
/** More than any call may take, even on a busy machine. */
const bound = 10_000;

for (const end of ['killed', 'silent'] as const) {
  test(`a primary of a cluster that is ${end} is followed by its replica; others go on meanwhile`, async (t) => {
    const cluster = await startRedisCluster(1);
    t.after(() => cluster.stop());
    const { inFlightBudget } = await openProcess(cluster.url, t, { times: shortTimes });
    const hold = async (accountId: string, requestId: string) => {
      const start = performance.now();
      try {
        return (await inFlightBudget.hold({ accountId, requestId }, parseUsd(2), terms)).held;
      } catch (error) {
        assert.ok(error instanceof HeadgateError && error.code === 'service_unavailable');
        return undefined;
      } finally {
        assert.ok(performance.now() - start < bound);
      }
    };
    const keyOf = (accountId: string) => inFlightKeys(accountId)[0] ?? '';
    const lost = unique('user_');
    const lostNode = await cluster.primaryOf(keyOf(lost));
    let kept = unique('user_');
    while ((await cluster.primaryOf(keyOf(kept))) === lostNode) kept = unique('user_');
    assert.equal(await hold(lost, 'a'), true);
    assert.equal(await hold(kept, 'a'), true);
    if (end === 'killed') await lostNode.kill();
    else lostNode.pause();
    const start = performance.now();
    let held: boolean | undefined;
    let served = 0;
    for (let count = 0; held === undefined; count += 1) {
      if ((await hold(kept, `r${count}`)) !== undefined) served += 1;
      held = await hold(lost, 'b');
      await setTimeout(10);
    }
    t.diagnostic(`followed after ${Math.round(performance.now() - start)} ms; ${served} served meanwhile`);
    assert.equal(held, true);
    assert.ok(served > 0, 'accounts elsewhere were served meanwhile');
    await inFlightBudget.renew([{ accountId: lost, requestId: 'a' }], terms.lease);
    await until(async () => (await inFlightBudget.inFlight(lost)) === parseUsd(4));
    assert.equal(await hold(lost, 'c'), false);
  });
}
