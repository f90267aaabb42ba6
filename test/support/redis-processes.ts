import { setTimeout } from 'node:timers/promises';
import type { SharedState, SharedStateHealth } from '../../src/ports/shared-state.ts';
import type { ConnectionTimes } from '../../src/shared-state/redis/redis-connection.ts';
import { openRedisSharedState } from '../../src/shared-state/redis/redis-shared-state.ts';

/** For connections nobody watches. */
export const unwatched = { onChange: () => {}, onTrouble: () => {} };

/** Shorter than usual, so that outages are noticed and over within a test. */
export const shortTimes: ConnectionTimes = { reply: 400, probe: 200, firstPause: 20, longestPause: 200 };

/** The shared state of one more process, with the states it has told of. */
export interface TestProcess extends SharedState {
  readonly told: readonly SharedStateHealth[];
  /** Why each of them was told. */
  readonly reasons: readonly unknown[];
  /** Why Redis refused what it was asked. */
  readonly troubles: readonly unknown[];
}

/** Opens the shared state of a process; it is closed when the test is over. */
export async function openProcess(
  url: string,
  t: { after: (cleanUp: () => Promise<void>) => void },
  options: {
    readonly onFailure?: 'reject' | 'local';
    readonly times?: ConnectionTimes;
    readonly countBooked?: (accountId: string, since: number) => Promise<number>;
  } = {},
): Promise<TestProcess> {
  const told: SharedStateHealth[] = [];
  const reasons: unknown[] = [];
  const troubles: unknown[] = [];
  const shared = await openRedisSharedState({
    url,
    onFailure: 'reject',
    countBooked: async () => 0,
    onChange: (health, reason) => {
      told.push(health);
      reasons.push(reason);
    },
    onTrouble: (reason) => troubles.push(reason),
    ...options,
  });
  t.after(() => shared.close());
  return { ...shared, told, reasons, troubles };
}

/** Resolves once this holds; the test's own time limit ends the wait. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await setTimeout(20);
}
