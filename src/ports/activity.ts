import type { NanoUsd } from '../core/money.ts';

/** Which of an account's model calls to sum; days are UTC days counted from 1970. */
export interface ActivityQuery {
  readonly accountId: string;
  readonly firstDay: number;
  readonly lastDay: number;
  readonly keyHash?: string;
  /** Who made the key that was used. */
  readonly creatorUserId?: string;
  readonly workspaceId?: string;
  readonly byWorkspace: boolean;
}

/** What one endpoint did for an account on one day. */
export interface ActivityRow {
  /** UTC days since 1970. */
  readonly day: number;
  readonly model: string;
  readonly provider: string;
  readonly endpointTag: string;
  /** Set when rows are kept apart by it. */
  readonly workspaceId?: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Credits charged. */
  readonly cost: NanoUsd;
  /** List price of what the account's own credentials served. */
  readonly byokCost: NanoUsd;
}

/** Reports what an account did, for reading; may take long and never holds up charges. */
export interface ActivityStore {
  /** Newest day first, then by model and endpoint. Calls that reached nobody are left out. */
  activity(query: ActivityQuery): Promise<readonly ActivityRow[]>;
}
