import { setTimeout } from 'node:timers/promises';
import type { CachedAnswerLimits } from '../../src/ports/cached-answers.ts';
import type { SharedState, SharedStateHealth } from '../../src/ports/shared-state.ts';
import { type ConnectionTimes, usualTimes } from '../../src/shared-state/redis/redis-connection.ts';
import { openRedisSharedState } from '../../src/shared-state/redis/redis-shared-state.ts';

/** For connections nobody watches. */
export const unwatched = { onChange: () => {}, onRefusal: () => {} };

/** For what must not fail however slow the machine is. */
export const patientTimes: ConnectionTimes = { ...usualTimes, reply: 30_000 };

/** Outages are noticed and over within a test; only a reply may take longer than usual: a busy machine is no outage. */
export const shortTimes: ConnectionTimes = {
  ...usualTimes,
  ...{ reply: 2_000, probe: 200, firstPause: 20, longestPause: 200 },
};

/** The shared state of one more process, with the states it has told of. */
export interface TestProcess extends SharedState {
  readonly told: readonly SharedStateHealth[];
  /** Why each of them was told. */
  readonly reasons: readonly unknown[];
  /** Why Redis refused what it was asked. */
  readonly troubles: readonly unknown[];
}

/** Opens the shared state of a process, a patient one by default; it is closed when the test is over. */
export async function openProcess(
  url: string,
  t: { after: (cleanUp: () => Promise<void>) => void },
  options: {
    readonly onFailure?: 'reject' | 'local';
    readonly times?: ConnectionTimes;
    readonly countBooked?: (accountId: string, since: number) => Promise<number>;
    readonly cacheLimits?: CachedAnswerLimits;
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
    onRefusal: (reason) => troubles.push(reason),
    times: patientTimes,
    ...options,
  });
  t.after(() => shared.close());
  return { ...shared, told, reasons, troubles };
}

/** Resolves once this holds; the test's own time limit ends the wait. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await setTimeout(20);
}
