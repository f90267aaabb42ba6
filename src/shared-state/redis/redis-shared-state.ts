import type { CachedAnswerLimits } from '../../ports/cached-answers.ts';
import { monotonicClock, systemClock } from '../../ports/clock.ts';
import type { CountBooked } from '../../ports/free-requests.ts';
import type { SharedState, SharedStateHealth } from '../../ports/shared-state.ts';
import { readRedisAddress } from '../../util/redis-address.ts';
import { MemoryFreeRequests } from '../memory/memory-free-requests.ts';
import { MemoryInFlightBudget } from '../memory/memory-in-flight-budget.ts';
import { MemoryRateLimits } from '../memory/memory-rate-limits.ts';
import { stickyCapacity, storedAnswerLimits } from '../memory/memory-shared-state.ts';
import { MemoryStickyEndpoints } from '../memory/memory-sticky-endpoints.ts';
import { MemoryStoredAnswers } from '../memory/memory-stored-answers.ts';
import { MemoryEndpointStatistics } from '../memory/statistics/memory-endpoint-statistics.ts';
import { AnswerNews } from './followed-answer.ts';
import { openRedisClient } from './open-redis-client.ts';
import { ProcessChannel } from './process-channel.ts';
import { RecoveringFreeRequests } from './recovering-free-requests.ts';
import { RecoveringInFlightBudget } from './recovering-in-flight-budget.ts';
import { RedisCachedAnswers } from './redis-cached-answers.ts';
import { type ConnectionTimes, RedisConnection, usualTimes } from './redis-connection.ts';
import { RedisInvalidation, RedisProcessMessages } from './redis-messages.ts';
import { RedisRateLimits } from './redis-rate-limits.ts';
import { RedisStickyEndpoints } from './redis-sticky-endpoints.ts';
import { RedisStoredAnswers } from './redis-stored-answers.ts';
import { ReportedStatistics } from './reported-statistics.ts';
import { answersChannel } from './stored-answer-scripts.ts';

/** Milliseconds without a sign of life after which a process is assumed to have stopped making an answer. */
const answerLease = 15_000;

/** The options of shared state in Redis. */
export interface RedisSharedStateOptions {
  /** As `readRedisAddress` takes it. */
  readonly url: string;
  readonly onFailure: 'reject' | 'local';
  readonly countBooked: CountBooked;
  /** Called whenever the health has changed, with the reason if it got worse. */
  readonly onChange: (health: SharedStateHealth, reason: unknown) => void;
  /** Called occasionally with the reason why a reachable Redis refuses commands. */
  readonly onRefusal?: (reason: unknown) => void;
  readonly times?: ConnectionTimes;
  /** Bounds of cached answers; the usual ones by default. */
  readonly cacheLimits?: CachedAnswerLimits;
}

/**
 * Opens shared state in Redis. Resolves once connected or when the first attempt has failed, because a server may
 * start before its Redis.
 * @throws Error when the address cannot be read.
 */
export async function openRedisSharedState(options: RedisSharedStateOptions): Promise<SharedState> {
  const { onFailure, onChange, onRefusal = () => {}, times = usualTimes } = options;
  const address = readRedisAddress(options.url);
  const state = (): SharedStateHealth => {
    if (connection.reachable) return 'ok';
    return onFailure === 'local' ? 'local' : 'unreachable';
  };
  const changed = (reason: unknown) => {
    if (connection.reachable) {
      // During an outage this process missed the others' messages.
      parts.invalidation.missed();
      parts.storedAnswers.renew();
    }
    onChange(state(), reason);
  };
  const connection = new RedisConnection((onLost) => openRedisClient(address, times.reply, onLost), times, {
    onChange: changed,
    onRefusal,
  });
  const parts = partsOn(connection, options);
  const { inFlightBudget, freeRequests, storedAnswers, statistics } = parts;
  // A part of a cluster that does not answer must not block the others.
  connection.beforeUse((run) => inFlightBudget.restore(run, address.cluster));
  connection.beforeUse((run) => freeRequests.restore(run, address.cluster));
  await connection.start();
  return {
    ...parts,
    state,
    close: async () => {
      statistics.close();
      inFlightBudget.close();
      await storedAnswers.close();
      connection.close();
    },
  };
}

function partsOn(
  connection: RedisConnection,
  { onFailure, countBooked, cacheLimits }: RedisSharedStateOptions,
) {
  const { run } = connection;
  const local = onFailure === 'local';
  const news = new AnswerNews();
  connection.subscribe(answersChannel, (message) => news.notify(message));
  return {
    inFlightBudget: new RecoveringInFlightBudget({
      run,
      local: local ? new MemoryInFlightBudget(monotonicClock) : undefined,
    }),
    freeRequests: new RecoveringFreeRequests({
      run,
      countBooked,
      makeLocal: local ? () => new MemoryFreeRequests(systemClock, countBooked) : undefined,
    }),
    rateLimits: new RedisRateLimits({
      run,
      local: local ? new MemoryRateLimits(systemClock) : undefined,
    }),
    storedAnswers: new RedisStoredAnswers({
      run,
      news,
      limits: { ...storedAnswerLimits, lease: answerLease },
      local: local ? new MemoryStoredAnswers(monotonicClock, storedAnswerLimits) : undefined,
    }),
    cachedAnswers: new RedisCachedAnswers(connection, cacheLimits),
    stickyEndpoints: new RedisStickyEndpoints(
      connection,
      new MemoryStickyEndpoints(monotonicClock, stickyCapacity),
    ),
    statistics: new ReportedStatistics(
      new MemoryEndpointStatistics(monotonicClock),
      new ProcessChannel(connection, 'hg:statistics'),
    ),
    messages: new RedisProcessMessages(connection),
    invalidation: new RedisInvalidation(new ProcessChannel(connection, 'hg:changes')),
  };
}
