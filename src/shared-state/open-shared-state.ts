import type { CountBooked } from '../ports/free-requests.ts';
import type { SharedState, SharedStateHealth } from '../ports/shared-state.ts';
import { createMemorySharedState } from './memory/memory-shared-state.ts';

/**
 * Where shared state is stored, and what happens to requests while it is unavailable
 * (docs/spec/operations.md#shared-state).
 */
export interface SharedStateSettings {
  /** Of a Redis server, cluster, or sentinels; undefined: in this process. May contain a password. */
  readonly url?: string;
  readonly onFailure: 'reject' | 'local';
}

/** The dependencies of shared state. */
export interface SharedStateSurroundings {
  readonly countBooked: CountBooked;
  /** Called whenever the health has changed, with the reason if it got worse. */
  readonly onChange: (health: SharedStateHealth, reason: unknown) => void;
  /** Called occasionally with the reason why a reachable store refuses commands. */
  readonly onRefusal?: (reason: unknown) => void;
}

/**
 * Opens the shared state. Keeps trying to reach a store that is unavailable.
 * @throws Error when the address cannot be read.
 */
export async function openSharedState(
  { url, onFailure }: SharedStateSettings,
  surroundings: SharedStateSurroundings,
): Promise<SharedState> {
  if (url === undefined) return createMemorySharedState(surroundings.countBooked);
  // Only installations with Redis load its client.
  const { openRedisSharedState } = await import('./redis/redis-shared-state.ts');
  return openRedisSharedState({ url, onFailure, ...surroundings });
}
