import type { NanoUsd } from '../core/money.ts';

/** Which of an account's model calls to sum; days are UTC days counted from 1970. */
export interface ActivityQuery {
  readonly accountId: string;
  readonly firstDay: number;
  readonly lastDay: number;
  readonly keyHash?: string;
  /** The creator of the key. */
  readonly creatorUserId?: string;
  readonly workspaceId?: string;
  readonly byWorkspace: boolean;
}

/** What one endpoint served for an account on one day. */
export interface ActivityRow {
  /** UTC days since 1970. */
  readonly day: number;
  readonly model: string;
  readonly provider: string;
  readonly endpointTag: string;
  /** Set when rows are grouped by it. */
  readonly workspaceId?: string;
  readonly requests: number;
  readonly inputTokens: number;
  /** Of them, those read from a cache of the provider. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Credits charged. */
  readonly cost: NanoUsd;
  /** List cost of what the account's own credentials served. */
  readonly byokCost: NanoUsd;
}

/** Reports an account's activity; may take long and never delays charges. */
export interface ActivityStore {
  /** Newest day first, then by model and endpoint. Excludes calls that reached no endpoint. */
  activity(query: ActivityQuery): Promise<readonly ActivityRow[]>;
}
