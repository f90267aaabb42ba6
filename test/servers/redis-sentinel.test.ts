import { after, before } from 'node:test';
import { startRedisSentinels, type TestSentinels } from '../support/start-redis-sentinels.ts';
import { describeRedis } from './redis-suites.ts';

let redis: TestSentinels;

before(async () => {
  redis = await startRedisSentinels({ replicas: 2 });
});
after(() => redis.stop());

describeRedis('Redis behind sentinels', () => redis);
