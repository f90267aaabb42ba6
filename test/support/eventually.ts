import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two tries. */
const pause = 10;

/** Tries until something is there, or holds; fails after `limit` milliseconds, which is far more than it ever needs. */
export async function eventually<T>(
  what: string,
  attempt: () => Promise<T | false | undefined> | T | false | undefined,
  limit = 90_000,
): Promise<T> {
  const deadline = performance.now() + limit;
  while (performance.now() < deadline) {
    const found = await attempt();
    if (found !== undefined && found !== false) return found;
    await sleep(pause);
  }
  throw new Error(`${what} did not come about within ${limit} ms`);
}
