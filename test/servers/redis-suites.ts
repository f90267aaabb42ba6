import { setImmediate, setTimeout } from 'node:timers/promises';
import { monotonicClock } from '../../src/ports/clock.ts';
import { MemoryStickyEndpoints } from '../../src/shared-state/memory/memory-sticky-endpoints.ts';
import { MemoryEndpointStatistics } from '../../src/shared-state/memory/statistics/memory-endpoint-statistics.ts';
import { AnswerNews } from '../../src/shared-state/redis/followed-answer.ts';
import { openRedisClient } from '../../src/shared-state/redis/open-redis-client.ts';
import { ProcessChannel } from '../../src/shared-state/redis/process-channel.ts';
import { RecoveringFreeRequests } from '../../src/shared-state/redis/recovering-free-requests.ts';
import { RecoveringInFlightBudget } from '../../src/shared-state/redis/recovering-in-flight-budget.ts';
import { RedisConnection } from '../../src/shared-state/redis/redis-connection.ts';
import { RedisRateLimits } from '../../src/shared-state/redis/redis-rate-limits.ts';
import { RedisStickyEndpoints } from '../../src/shared-state/redis/redis-sticky-endpoints.ts';
import { RedisStoredAnswers } from '../../src/shared-state/redis/redis-stored-answers.ts';
import { ReportedStatistics } from '../../src/shared-state/redis/reported-statistics.ts';
import { answersChannel } from '../../src/shared-state/redis/stored-answer-scripts.ts';
import { readRedisAddress } from '../../src/util/redis-address.ts';
import { describeEndpointStatistics } from '../conformance/endpoint-statistics.ts';
import { describeFreeRequests } from '../conformance/free-requests.ts';
import {
  describeHoldNotes,
  describeInFlightBudget,
  type OpenBudget,
} from '../conformance/in-flight-budget.ts';
import { describeRateLimits } from '../conformance/rate-limits.ts';
import { describeStickyEndpoints } from '../conformance/sticky-endpoints.ts';
import { describeStoredAnswers } from '../conformance/stored-answers.ts';
import { patientTimes, unwatched } from '../support/redis-processes.ts';

type TestContext = { after: (cleanUp: () => Promise<void>) => void };

/** A server or cluster that is running when tests ask. */
export interface RedisUnderTest {
  readonly url: string;
  /** Makes it forget everything. */
  flush(): Promise<void>;
}

/** Runs every suite of the shared-state ports on a Redis. */
export function describeRedis(name: string, redis: () => RedisUnderTest): void {
  const connect = (t: TestContext, prepare?: (connection: RedisConnection) => void) =>
    connectTo(redis(), t, prepare);
  const openBudget: OpenBudget = async (clock, t) =>
    new RecoveringInFlightBudget({ run: (await connect(t)).run, local: undefined, clock });
  describeInFlightBudget(name, openBudget);
  describeHoldNotes(name, openBudget);
  describeRateLimits(
    name,
    async (clock, t) => new RedisRateLimits({ run: (await connect(t)).run, local: undefined, clock }),
  );
  describeFreeRequests(name, async (clock, booked, t) => {
    const countBooked = async (accountId: string, since: number) => {
      const times = booked(accountId);
      await setImmediate();
      return times.filter((time) => time >= since && time <= clock.now()).length;
    };
    return new RecoveringFreeRequests({
      run: (await connect(t)).run,
      makeLocal: undefined,
      clock,
      countBooked,
    });
  });
  describeStoredAnswers(name, async (limits, t) => {
    const news = new AnswerNews();
    const { run } = await connect(t, (one) => one.subscribe(answersChannel, (list) => news.notify(list)));
    const bounds = { ...limits, lease: 30_000 };
    const answers = new RedisStoredAnswers({ run, news, limits: bounds, local: undefined });
    t.after(async () => answers.close());
    return { answers, pass };
  });
  describeStickyEndpoints(name, async (t) => {
    const local = new MemoryStickyEndpoints(monotonicClock, 100);
    return { sticky: new RedisStickyEndpoints(await connect(t), local), pass };
  });
  describeEndpointStatistics(name, (clock) => {
    const channel = new ProcessChannel({ publish: () => {}, subscribe: () => {} }, 'hg:test');
    return new ReportedStatistics(new MemoryEndpointStatistics(clock), channel);
  });
}

/** Time passes by itself; a little more of it, for the server's clock is another. */
const pass = (milliseconds: number) => setTimeout(milliseconds + 100);

async function connectTo(
  redis: RedisUnderTest,
  t: TestContext,
  prepare: (connection: RedisConnection) => void = () => {},
): Promise<RedisConnection> {
  await redis.flush();
  const address = readRedisAddress(redis.url);
  const open = (onLost: (reason: unknown) => void) => openRedisClient(address, patientTimes.reply, onLost);
  const connection = new RedisConnection(open, patientTimes, unwatched);
  prepare(connection);
  await connection.start();
  t.after(async () => connection.close());
  return connection;
}
