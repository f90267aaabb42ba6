import type { CountBooked } from '../ports/free-requests.ts';
import type { SharedState, SharedStateHealth } from '../ports/shared-state.ts';
import { createMemorySharedState } from './memory/memory-shared-state.ts';

/** Where shared state is kept and what becomes of requests while that is away (operations.md 3). */
export interface SharedStateSettings {
  /** Of a Redis server, cluster, or sentinels; undefined: in this process. May hold a password. */
  readonly url?: string;
  readonly onFailure: 'reject' | 'local';
}

/** What shared state needs from outside. */
export interface SharedStateSurroundings {
  readonly countBooked: CountBooked;
  /** Told whenever the health has changed; when it fell, why. */
  readonly onChange: (health: SharedStateHealth, reason: unknown) => void;
  /** Told now and then why a store that answers refuses what it is asked. */
  readonly onTrouble?: (reason: unknown) => void;
}

/**
 * Opens the shared state. A store that cannot be reached now is looked for until it can.
 * @throws Error when the address cannot be read.
 */
export async function openSharedState(
  { url, onFailure }: SharedStateSettings,
  surroundings: SharedStateSurroundings,
): Promise<SharedState> {
  if (url === undefined) return createMemorySharedState(surroundings.countBooked);
  // Only whoever has a Redis pays for its client.
  const { openRedisSharedState } = await import('./redis/redis-shared-state.ts');
  return openRedisSharedState({ url, onFailure, ...surroundings });
}
