import { monotonicClock, systemClock } from '../../ports/clock.ts';
import type { CountBooked } from '../../ports/free-requests.ts';
import type { SharedState, SharedStateHealth } from '../../ports/shared-state.ts';
import { readRedisAddress } from '../../util/redis-address.ts';
import { MemoryFreeRequests } from '../memory/memory-free-requests.ts';
import { MemoryInFlightBudget } from '../memory/memory-in-flight-budget.ts';
import { stickyCapacity, storedAnswerLimits } from '../memory/memory-shared-state.ts';
import { MemoryStickyEndpoints } from '../memory/memory-sticky-endpoints.ts';
import { MemoryStoredAnswers } from '../memory/memory-stored-answers.ts';
import { MemoryEndpointStatistics } from '../memory/statistics/memory-endpoint-statistics.ts';
import { AnswerNews } from './followed-answer.ts';
import { openRedisClient } from './open-redis-client.ts';
import { ProcessChannel } from './process-channel.ts';
import { RecoveringFreeRequests } from './recovering-free-requests.ts';
import { RecoveringInFlightBudget } from './recovering-in-flight-budget.ts';
import { type ConnectionTimes, RedisConnection, usualTimes } from './redis-connection.ts';
import { RedisInvalidation } from './redis-invalidation.ts';
import { RedisStickyEndpoints } from './redis-sticky-endpoints.ts';
import { RedisStoredAnswers } from './redis-stored-answers.ts';
import { ReportedStatistics } from './reported-statistics.ts';
import { answersChannel } from './stored-answer-scripts.ts';

/** Milliseconds after which a process that is heard of no more makes no answer any more. */
const answerLease = 15_000;

/** What shared state in Redis is made of. */
export interface RedisSharedStateOptions {
  /** As `readRedisAddress` takes it. */
  readonly url: string;
  readonly onFailure: 'reject' | 'local';
  readonly countBooked: CountBooked;
  /** Told whenever the health has changed; when it fell, why. */
  readonly onChange: (health: SharedStateHealth, reason: unknown) => void;
  /** Told now and then why a Redis that answers refuses what it is asked. */
  readonly onTrouble?: (reason: unknown) => void;
  readonly times?: ConnectionTimes;
}

/**
 * Shared state in Redis. Resolves once it is connected or the first attempt has failed: a server may start before its
 * Redis does.
 * @throws Error when the address cannot be read.
 */
export async function openRedisSharedState(options: RedisSharedStateOptions): Promise<SharedState> {
  const { onFailure, onChange, onTrouble = () => {}, times = usualTimes } = options;
  const address = readRedisAddress(options.url);
  const state = (): SharedStateHealth => {
    if (connection.reachable) return 'ok';
    return onFailure === 'local' ? 'local' : 'unreachable';
  };
  const changed = (reason: unknown) => {
    if (connection.reachable) {
      // Whoever was away heard nothing of what others said and made.
      parts.invalidation.missed();
      parts.storedAnswers.renew();
    }
    onChange(state(), reason);
  };
  const connection = new RedisConnection((onLost) => openRedisClient(address, times.reply, onLost), times, {
    onChange: changed,
    onTrouble,
  });
  const parts = partsOn(connection, options);
  const { inFlightBudget, freeRequests, storedAnswers, statistics } = parts;
  // A part of a cluster that does not answer must not keep the others away.
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

function partsOn(connection: RedisConnection, { onFailure, countBooked }: RedisSharedStateOptions) {
  const { run } = connection;
  const local = onFailure === 'local';
  const news = new AnswerNews();
  connection.subscribe(answersChannel, (message) => news.tell(message));
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
    storedAnswers: new RedisStoredAnswers({
      run,
      news,
      limits: { ...storedAnswerLimits, lease: answerLease },
      local: local ? new MemoryStoredAnswers(monotonicClock, storedAnswerLimits) : undefined,
    }),
    stickyEndpoints: new RedisStickyEndpoints(
      connection,
      new MemoryStickyEndpoints(monotonicClock, stickyCapacity),
    ),
    statistics: new ReportedStatistics(
      new MemoryEndpointStatistics(monotonicClock),
      new ProcessChannel(connection, 'hg:statistics'),
    ),
    invalidation: new RedisInvalidation(new ProcessChannel(connection, 'hg:changes')),
  };
}
