import type { FoundAnswer, RequestObserver } from '../pipeline/request-events.ts';
import type { CachedHitStore, CachedHits } from '../ports/cached-hits.ts';
import { RecurringTask } from '../waiting/recurring-task.ts';

/** One answer that was given from the cache. */
export type CachedHit = Omit<CachedHits, 'hits' | 'start'> & { readonly at: number };

/** Groups that are kept until they can be stored; further ones are dropped and counted. */
const mostGroups = 10_000;
const quarter = 15 * 60_000;

/**
 * Adds answers of the cache up, and stores the sums every second: a hit must not wait for a database. What is not stored
 * yet is lost when the process dies.
 */
export class CachedHitTally implements RequestObserver {
  readonly #store: CachedHitStore;
  readonly #storing: RecurringTask;
  readonly #onFailure: (reason: unknown) => void;
  #groups = new Map<string, CachedHits>();
  /** The newest write, which a stop waits for. */
  #writing: Promise<void> = Promise.resolve();
  /** Hits that found no room while the database was away. */
  dropped = 0;

  constructor(store: CachedHitStore, onFailure: (reason: unknown) => void, pause = 1_000) {
    this.#store = store;
    this.#onFailure = onFailure;
    this.#storing = new RecurringTask(
      () => this.store(),
      () => pause,
    );
  }

  lookedForCached(found: FoundAnswer | undefined): void {
    if (found !== undefined) this.add({ ...found, at: Date.now() });
  }

  /** Counts a hit. Costs no wait. */
  add({ at, saved, ...who }: CachedHit): void {
    this.#put({ ...who, start: at - (at % quarter), hits: 1, saved });
  }

  #put(hits: CachedHits): void {
    const name = JSON.stringify([hits.accountId, hits.start, hits.keyHash, hits.model]);
    const known = this.#groups.get(name);
    if (known === undefined && this.#groups.size >= mostGroups) {
      this.dropped += hits.hits;
      return;
    }
    const saved = ((known?.saved ?? 0n) + hits.saved) as CachedHits['saved'];
    this.#groups.set(name, { ...hits, hits: (known?.hits ?? 0) + hits.hits, saved });
  }

  /** Stores what was counted; keeps it for the next time where that fails. Never rejects. */
  store(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    if (this.#groups.size === 0) return;
    const groups = [...this.#groups.values()];
    this.#groups = new Map();
    try {
      await this.#store.add(groups);
    } catch (reason) {
      for (const hits of groups) this.#put(hits);
      this.#onFailure(reason);
    }
  }

  /** Stores the rest. */
  async close(): Promise<void> {
    this.#storing.close();
    await this.store();
  }
}
