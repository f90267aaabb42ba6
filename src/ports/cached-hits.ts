import type { NanoUsd } from '../core/money.ts';

/** Answers that were given again from the cache: how many, and what making them anew would have cost. */
export interface HitSums {
  readonly hits: number;
  /** What the answers cost when they were made. */
  readonly saved: NanoUsd;
}

/** Hits of one key at one model in a quarter of an hour. */
export interface CachedHits extends HitSums {
  readonly accountId: string;
  readonly keyHash: string;
  readonly workspaceId: string | null;
  /** The model that made the answers. */
  readonly model: string;
  /** When the quarter of an hour began, Unix milliseconds. */
  readonly start: number;
}

/** Which hits to sum; absent members restrict nothing. */
export interface HitFilters {
  readonly accountId?: string | undefined;
  readonly keyHash?: string | undefined;
  readonly workspaceId?: string | undefined;
  /** A model, or all that begin with what stands before `*`. */
  readonly model?: string | undefined;
}

/** What hits can be summed by: keys by label, days of UTC by name. */
export type HitGrouping = 'account' | 'key' | 'model' | 'day';

/** Hits of a group. */
export interface HitGroup extends HitSums {
  readonly group: string;
}

/** Hits of a step of time. */
export interface HitStep extends HitSums {
  /** Unix milliseconds, on a quarter of an hour. */
  readonly start: number;
}

/** Counts answers given from the cache (docs/spec/caching.md#reports). They are no calls, so no record knows them. */
export interface CachedHitStore {
  /** Adds to what is known already. */
  add(hits: readonly CachedHits[]): Promise<void>;
  /**
   * By group since a moment (Unix milliseconds), groups in order.
   * @param endDay Before this UTC day, counted from 1970.
   */
  groups(since: number, by: HitGrouping, accountId?: string, endDay?: number): Promise<readonly HitGroup[]>;
  /** By quarter of an hour; those without hits are left out. */
  steps(from: number, to: number, filters: HitFilters): Promise<readonly HitStep[]>;
}
