import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inFlightKeys } from '../../src/shared-state/redis/in-flight-scripts.ts';
import { storedAnswerKeys } from '../../src/shared-state/redis/stored-answer-scripts.ts';
import { startRedisCluster, type TestCluster } from '../support/start-redis-cluster.ts';
import { describeRedis } from './redis-suites.ts';

let cluster: TestCluster;

before(async () => {
  cluster = await startRedisCluster();
});
after(() => cluster.stop());

test('what one script touches lies in one slot', async () => {
  for (const keys of [
    inFlightKeys('user_1'),
    inFlightKeys('org-2'),
    storedAnswerKeys('user_1 a key {with} braces}', 'attempt-1'),
  ]) {
    const slots = await Promise.all(keys.map((key) => cluster.slotOf(key)));
    assert.equal(new Set(slots).size, 1, keys.join(' '));
  }
});

// Nodes of a cluster refuse scripts whose keys lie in several slots, or elsewhere.
describeRedis('Redis Cluster', () => cluster);
