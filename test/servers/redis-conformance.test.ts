import { after, before } from 'node:test';
import { startRedis, type TestRedis } from '../support/start-redis.ts';
import { describeRedis } from './redis-suites.ts';

let redis: TestRedis;

before(async () => {
  redis = await startRedis();
});
after(() => redis.stop());

describeRedis('Redis', () => ({ url: redis.url, flush: async () => void (await redis.ask('FLUSHALL')) }));
