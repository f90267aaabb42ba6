import type { SharedStateHealth } from '../ports/shared-state.ts';
import type { Storage } from '../ports/storage.ts';

/** How everything this process needs is doing. */
export interface DependencyStates {
  /** `unreachable` does not answer in time, or takes no charges. */
  readonly database: 'ok' | 'unreachable';
  /** Whether charges can be made durable beside the database and get into it; without that no paid request is let in. */
  readonly journal: 'ok' | 'unwritable';
  readonly shared_state: SharedStateHealth;
}

/** Every state a dependency can be in, in the order it is shown. */
export const dependencyStates = {
  database: ['ok', 'unreachable'],
  journal: ['ok', 'unwritable'],
  shared_state: ['ok', 'unreachable', 'local'],
} as const satisfies { [Name in keyof DependencyStates]: readonly DependencyStates[Name][] };

/** Milliseconds an engine may take to answer before it counts as unreachable. */
const patience = 2000;

/** Looks after what this process depends on, within a bounded time whatever hangs. */
export class DependencyHealth {
  readonly #storage: Pick<Storage, 'ping' | 'writable'>;
  readonly #sharedState: () => SharedStateHealth;
  readonly #patience: number;
  #asking: Promise<'ok' | 'unreachable'> | undefined;

  /** @param wait Milliseconds the database may take to answer. */
  constructor(
    storage: Pick<Storage, 'ping' | 'writable'>,
    sharedState: () => SharedStateHealth,
    wait: number = patience,
  ) {
    this.#storage = storage;
    this.#sharedState = sharedState;
    this.#patience = wait;
  }

  /** How everything is at this moment. Never fails; whoever asks at the same time shares one question. */
  async check(): Promise<DependencyStates> {
    this.#asking ??= this.#askDatabase().finally(() => {
      this.#asking = undefined;
    });
    return {
      database: await this.#asking,
      journal: this.#storage.writable ? 'ok' : 'unwritable',
      shared_state: this.#sharedState(),
    };
  }

  #askDatabase(): Promise<'ok' | 'unreachable'> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve('unreachable'), this.#patience);
      const answer = (state: 'ok' | 'unreachable') => {
        clearTimeout(timer);
        resolve(state);
      };
      this.#storage.ping().then(
        () => answer('ok'),
        () => answer('unreachable'),
      );
    });
  }
}

/**
 * How welcome requests are while things are like this. Without the shared state only those are refused that are counted
 * there (accounts-and-limits 11, case 9), so the process is still worth asking.
 */
export function serviceOf({
  database,
  journal,
  shared_state: shared,
}: DependencyStates): 'ok' | 'degraded' | 'unavailable' {
  if (database !== 'ok' || journal !== 'ok') return 'unavailable';
  return shared === 'ok' ? 'ok' : 'degraded';
}
