import type { Clock } from '../../ports/clock.ts';
import type { StickyEndpoint, StickyEndpoints } from '../../ports/stickiness.ts';
import { LinkedMap } from '../../util/linked-map.ts';

interface Entry {
  readonly endpoint: StickyEndpoint;
  readonly expiresAt: number;
}

/** Remembers conversations in this process; drops the oldest when there are too many. */
export class MemoryStickyEndpoints implements StickyEndpoints {
  readonly #clock: Clock;
  readonly #capacity: number;
  /** In order of their last use. */
  readonly #entries = new LinkedMap<string, Entry>();

  /** @param capacity Limit of remembered conversations. */
  constructor(clock: Clock, capacity: number) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  find(keys: readonly string[]): readonly (StickyEndpoint | undefined)[] {
    const now = this.#clock.now();
    return keys.map((key) => {
      const entry = this.#entries.get(key);
      return entry === undefined || entry.expiresAt <= now ? undefined : entry.endpoint;
    });
  }

  remember(key: string, endpoint: StickyEndpoint, lifetime: number): void {
    const now = this.#clock.now();
    this.#entries.set(key, { endpoint, expiresAt: now + lifetime });
    this.#entries.dropWhile(({ expiresAt }) => expiresAt <= now || this.#entries.size > this.#capacity);
  }
}
