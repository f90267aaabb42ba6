import { monotonicClock, systemClock } from '../../ports/clock.ts';
import type { SharedState, SharedStateHealth } from '../../ports/shared-state.ts';
import { MemoryFreeRequests } from '../memory/memory-free-requests.ts';
import { MemoryInFlightBudget } from '../memory/memory-in-flight-budget.ts';
import { createMemorySharedState } from '../memory/memory-shared-state.ts';
import { RecoveringFreeRequests } from './recovering-free-requests.ts';
import { RecoveringInFlightBudget } from './recovering-in-flight-budget.ts';
import { readRedisAddress } from './redis-address.ts';
import { openRedisClient } from './redis-client.ts';
import { type ConnectionTimes, RedisConnection, usualTimes } from './redis-connection.ts';
import type { CountBooked } from './redis-free-requests.ts';

/** What shared state in Redis is made of. */
export interface RedisSharedStateOptions {
  /** As `readRedisAddress` takes it. */
  readonly url: string;
  readonly onFailure: 'reject' | 'local';
  readonly countBooked: CountBooked;
  /** Told whenever the health has changed; when it fell, why. */
  readonly onChange: (health: SharedStateHealth, reason: unknown) => void;
  readonly times?: ConnectionTimes;
}

/**
 * Shared state in Redis. Resolves once it is connected or the first attempt has failed: a server may start before its
 * Redis does.
 * @throws Error when the address cannot be read.
 */
export async function openRedisSharedState(options: RedisSharedStateOptions): Promise<SharedState> {
  const { onFailure, countBooked, onChange, times = usualTimes } = options;
  const address = readRedisAddress(options.url);
  const local = onFailure === 'local';
  const state = (): SharedStateHealth => (connection.reachable ? 'ok' : local ? 'local' : 'unreachable');
  const connection = new RedisConnection(
    (onLost) => openRedisClient(address, times.reply, onLost),
    times,
    (reason) => onChange(state(), reason),
  );
  const { run } = connection;
  const inFlightBudget = new RecoveringInFlightBudget({
    run,
    local: local ? new MemoryInFlightBudget(monotonicClock) : undefined,
  });
  const freeRequests = new RecoveringFreeRequests({
    run,
    countBooked,
    makeLocal: local ? () => new MemoryFreeRequests(systemClock, countBooked) : undefined,
  });
  connection.beforeUse((fresh) => inFlightBudget.restore(fresh));
  connection.beforeUse((fresh) => freeRequests.restore(fresh));
  await connection.start();
  const memory = createMemorySharedState(countBooked);
  return {
    inFlightBudget,
    freeRequests,
    storedAnswers: memory.storedAnswers,
    stickyEndpoints: memory.stickyEndpoints,
    state,
    close: async () => {
      inFlightBudget.close();
      connection.close();
    },
  };
}
