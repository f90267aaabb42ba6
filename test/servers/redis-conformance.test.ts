import { after, before } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { monotonicClock } from '../../src/ports/clock.ts';
import { MemoryStickyEndpoints } from '../../src/shared-state/memory/memory-sticky-endpoints.ts';
import { MemoryEndpointStatistics } from '../../src/shared-state/memory/statistics/memory-endpoint-statistics.ts';
import { AnswerNews } from '../../src/shared-state/redis/followed-answer.ts';
import { ProcessChannel } from '../../src/shared-state/redis/process-channel.ts';
import { RecoveringFreeRequests } from '../../src/shared-state/redis/recovering-free-requests.ts';
import { RecoveringInFlightBudget } from '../../src/shared-state/redis/recovering-in-flight-budget.ts';
import { readRedisAddress } from '../../src/shared-state/redis/redis-address.ts';
import { openRedisClient } from '../../src/shared-state/redis/redis-client.ts';
import { RedisConnection, usualTimes } from '../../src/shared-state/redis/redis-connection.ts';
import { RedisStickyEndpoints } from '../../src/shared-state/redis/redis-sticky-endpoints.ts';
import { RedisStoredAnswers } from '../../src/shared-state/redis/redis-stored-answers.ts';
import { answersChannel } from '../../src/shared-state/redis/stored-answer-scripts.ts';
import { ToldStatistics } from '../../src/shared-state/redis/told-statistics.ts';
import { describeEndpointStatistics } from '../conformance/endpoint-statistics.ts';
import { describeFreeRequests } from '../conformance/free-requests.ts';
import {
  describeHoldNotes,
  describeInFlightBudget,
  type OpenBudget,
} from '../conformance/in-flight-budget.ts';
import { describeStickyEndpoints } from '../conformance/sticky-endpoints.ts';
import { describeStoredAnswers } from '../conformance/stored-answers.ts';
import { startRedis, type TestRedis } from '../support/start-redis.ts';

let redis: TestRedis;

before(async () => {
  redis = await startRedis();
});
after(() => redis.stop());

/** A connection to an empty server. */
async function connect(
  t: { after: (cleanUp: () => Promise<void>) => void },
  prepare: (connection: RedisConnection) => void = () => {},
): Promise<RedisConnection> {
  await redis.ask('FLUSHALL');
  const address = readRedisAddress(redis.url);
  const open = (onLost: (reason: unknown) => void) => openRedisClient(address, usualTimes.reply, onLost);
  const connection = new RedisConnection(open, usualTimes, () => {});
  prepare(connection);
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

/** Time passes by itself; a little more of it, for the server's clock is another. */
const pass = (milliseconds: number) => setTimeout(milliseconds + 100);

describeStoredAnswers('Redis', async (limits, t) => {
  const news = new AnswerNews();
  const connection = await connect(t, (one) => one.subscribe(answersChannel, (list) => news.tell(list)));
  const answers = new RedisStoredAnswers({ run: connection.run, news, limits, local: undefined });
  t.after(async () => answers.close());
  return { answers, pass };
});
describeStickyEndpoints('Redis', async (t) => {
  const local = new MemoryStickyEndpoints(monotonicClock, 100);
  return { sticky: new RedisStickyEndpoints(await connect(t), local), pass };
});
describeEndpointStatistics('told to other processes', (clock) => {
  const channel = new ProcessChannel({ publish: () => {}, subscribe: () => {} }, 'hg:test');
  return new ToldStatistics(new MemoryEndpointStatistics(clock), channel);
});
