import type { NanoUsd } from '../core/money.ts';
import type { Verdict } from './feedback.ts';
import type { Generation } from './generations.ts';

/** What calls can be grouped by. */
export type UsageDimension = 'key' | 'workspace' | 'model' | 'provider' | 'endpoint' | 'error';

/** Which calls to sum or list, by what the sums know of them; absent members restrict nothing. */
export interface UsageFilters {
  /** Undefined is every account. */
  readonly accountId?: string | undefined;
  readonly keyHash?: string | undefined;
  readonly workspaceId?: string | undefined;
  /** A model, or all that begin with what stands before `*`. */
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly errorType?: string | undefined;
  /** Calls that failed, or that did not. */
  readonly failed?: boolean | undefined;
}

/** Sums over some calls. Counts that providers did not report add nothing. */
export interface UsageSums {
  readonly requests: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly fallbacks: number;
  readonly streamed: number;
  readonly own: number;
  readonly unpriced: number;
  readonly estimated: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Credits charged. */
  readonly cost: NanoUsd;
  readonly listCost: NanoUsd;
  /** List cost of what own credentials served. */
  readonly byokCost: NanoUsd;
}

/** The value of all groups that are not among these: empty, unless that is one of them. */
export function otherGroups(values: readonly string[]): string {
  return values.includes('') ? 'all others' : '';
}

/** Sums of one group in one step of time. */
export interface UsageStep extends UsageSums {
  /** Empty where nothing is known; what `otherGroups` says for groups that were not asked for. */
  readonly value: string;
  /** When the step begins, Unix milliseconds. */
  readonly start: number;
}

/** How finely cells divide a range: in minutes, or not at all. Days are those of UTC. */
export type CellStep = 15 | 60 | 1440 | 'all';

/** Sums over all accounts in one step of time, by all that the sums know besides accounts, keys and workspaces. */
export interface UsageCell extends UsageSums {
  /** When the step begins, or the range where that is later; Unix milliseconds. */
  readonly start: number;
  readonly model: string;
  readonly provider: string;
  readonly endpoint: string;
  readonly errorType: string;
}

/** The step of time in which a key was used last. */
export interface KeyUse {
  readonly keyHash: string;
  /** When it begins, Unix milliseconds. */
  readonly start: number;
  /** Its length in minutes. */
  readonly span: 15 | 1440;
}

/** A range of time in Unix milliseconds; `from` is included, `to` is not. Both lie on quarters of an hour, or on days. */
export interface UsageRange {
  readonly from: number;
  readonly to: number;
}

/** How the sums of a range are grouped. */
export interface UsageGrouping {
  readonly range: UsageRange;
  readonly filters: UsageFilters;
  readonly dimension?: UsageDimension | undefined;
}

/** One call as far as its times go. */
export interface CallTimes {
  readonly settledAt: number;
  readonly latency: number | undefined;
  readonly generationTime: number | undefined;
  readonly outputTokens: number;
}

/** Further conditions on calls, which only their records know. */
export interface CallFilters {
  readonly cancelled?: boolean | undefined;
  readonly streamed?: boolean | undefined;
  readonly own?: boolean | undefined;
  readonly fallback?: boolean | undefined;
  readonly unpriced?: boolean | undefined;
  readonly estimated?: boolean | undefined;
  readonly minCost?: NanoUsd | undefined;
  readonly minTotalTime?: number | undefined;
  readonly minFirstToken?: number | undefined;
  readonly minTokens?: number | undefined;
  readonly sessionId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly externalUser?: string | undefined;
  readonly appTitle?: string | undefined;
  /** Of the last attempt, or of the answer that turned a request away. */
  readonly status?: number | undefined;
  /** A model as requests named it, or all that begin with what stands before `*`. */
  readonly requestedModel?: string | undefined;
  /** The router that chose the model. */
  readonly router?: string | undefined;
  /** The slug of the preset that requests named. */
  readonly preset?: string | undefined;
  /** What was said of them: of the key that said something, any. */
  readonly verdict?: Verdict | undefined;
}

/** A place in the list of calls: everything after it is older. */
export interface CallPlace {
  readonly settledAt: number;
  readonly id: string;
}

/** Which calls to list. */
export interface CallQuery {
  readonly range: UsageRange;
  readonly filters: UsageFilters & { readonly accountId: string };
  readonly calls: CallFilters;
  readonly before?: CallPlace | undefined;
  readonly limit: number;
}

/** A part of the list of calls, newest first. */
export interface CallPage {
  readonly generations: readonly Generation[];
  /** Where the next part begins; undefined when the range is exhausted. */
  readonly next: CallPlace | undefined;
  /** How far was searched, Unix milliseconds. */
  readonly searchedTo: number;
}

/** Calls of one session in a range, as far as it was searched. */
export interface UsageSession {
  readonly id: string;
  readonly calls: number;
  readonly failed: number;
  /** When the first began and the last ended, Unix milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Credits charged. */
  readonly cost: NanoUsd;
  /** The last user that requests named; undefined where none did. */
  readonly externalUser?: string;
}

/** Sessions, the latest first. */
export interface UsageSessions {
  readonly sessions: readonly UsageSession[];
  /** How far was searched, Unix milliseconds. */
  readonly searchedTo: number;
  /** Whether that is the whole range, and there are no more sessions in it. */
  readonly isComplete: boolean;
}

/** Reads what accounts used. Never delays charges; what it reads is bounded whatever the number of calls. */
export interface UsageStore {
  /** Sums of a whole range by group, most expensive first, at most `limit` groups. */
  totals(grouping: UsageGrouping, limit: number): Promise<readonly UsageStep[]>;
  /**
   * Sums by step and group.
   * @param step Minutes: 15, 60 or 1440; days are those of UTC.
   * @param values The groups to tell apart; all others are one, with the value of `otherGroups`.
   */
  steps(
    grouping: UsageGrouping,
    step: 15 | 60 | 1440,
    values: readonly string[],
  ): Promise<readonly UsageStep[]>;
  /**
   * Sums over all accounts, added up from those of each, exactly however large they are. Reads more the more accounts
   * there are: see `AllAccountsUsage`.
   * @param limit Cells that are read at most.
   */
  cells(range: UsageRange, step: CellStep, limit: number): Promise<readonly UsageCell[]>;
  /**
   * When the keys of an account were last used: the UTC day, and the quarter of an hour where it is that recent.
   * @param days Since when days are looked at, Unix milliseconds.
   * @param quarters Since when quarters of an hour are.
   */
  lastUses(accountId: string, days: number, quarters: number, limit: number): Promise<readonly KeyUse[]>;
  /** The times of the newest calls that succeeded in each of some ranges, at most so many a range. */
  times(ranges: readonly UsageRange[], filters: UsageFilters, each: number): Promise<readonly CallTimes[]>;
  /** Sessions of the newest 20,000 calls that fit, the latest first. */
  sessions(query: Pick<CallQuery, 'range' | 'filters' | 'limit'>): Promise<UsageSessions>;
  /** Calls, newest first. May return fewer than asked for although there are more: it reads at most 20,000 records. */
  calls(query: CallQuery): Promise<CallPage>;
}
