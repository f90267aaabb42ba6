import { after, before } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { RecoveringFreeRequests } from '../../src/shared-state/redis/recovering-free-requests.ts';
import { RecoveringInFlightBudget } from '../../src/shared-state/redis/recovering-in-flight-budget.ts';
import { readRedisAddress } from '../../src/shared-state/redis/redis-address.ts';
import { openRedisClient } from '../../src/shared-state/redis/redis-client.ts';
import { RedisConnection, usualTimes } from '../../src/shared-state/redis/redis-connection.ts';
import { describeFreeRequests } from '../conformance/free-requests.ts';
import {
  describeHoldNotes,
  describeInFlightBudget,
  type OpenBudget,
} from '../conformance/in-flight-budget.ts';
import { startRedis, type TestRedis } from '../support/start-redis.ts';

let redis: TestRedis;

before(async () => {
  redis = await startRedis();
});
after(() => redis.stop());

/** A connection to an empty server. */
async function connect(t: { after: (cleanUp: () => Promise<void>) => void }): Promise<RedisConnection> {
  await redis.ask('FLUSHALL');
  const address = readRedisAddress(redis.url);
  const open = (onLost: (reason: unknown) => void) => openRedisClient(address, usualTimes.reply, onLost);
  const connection = new RedisConnection(open, usualTimes, () => {});
  await connection.start();
  t.after(async () => connection.close());
  return connection;
}

const openBudget: OpenBudget = async (clock, t) =>
  new RecoveringInFlightBudget({ run: (await connect(t)).run, local: undefined, clock });

describeInFlightBudget('Redis', openBudget);
describeHoldNotes('Redis', openBudget);
describeFreeRequests(
  'Redis',
  async (clock, booked, t) =>
    new RecoveringFreeRequests({
      run: (await connect(t)).run,
      makeLocal: undefined,
      clock,
      countBooked: async (accountId, since) => {
        const times = booked(accountId);
        await setImmediate();
        return times.filter((time) => time >= since && time <= clock.now()).length;
      },
    }),
);
