import type { NanoUsd } from '../core/money.ts';

/** What one router had one model do for one kind of task on one UTC day. */
export interface RouterTrafficRow {
  /** UTC days since 1970. */
  readonly day: number;
  readonly router: string;
  /** Empty where none was recognised. */
  readonly task: string;
  /** The id of the model that answered. */
  readonly model: string;
  readonly generations: number;
  /** Those for which more than one endpoint was asked. */
  readonly fallbacks: number;
  readonly inputTokens: number;
  /** The part of them that was read from a cache. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly cost: NanoUsd;
  /** At list prices, no matter who paid. */
  readonly listCost: NanoUsd;
}

/** Sums the turns whose models routers chose. */
export interface RouterTrafficStore {
  /** Since `since` (Unix milliseconds), of all accounts or of one; oldest day first. */
  read(since: number, accountId?: string): Promise<readonly RouterTrafficRow[]>;
}
