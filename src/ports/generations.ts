import type { ErrorCode } from '../core/errors.ts';
import type { NanoUsd } from '../core/money.ts';
import type { PipelineEntry } from '../core/route-report.ts';
import type { ImplausibleCount, Usage } from '../core/usage.ts';

/** One attempt of a generation, as `provider_responses` lists it. */
export interface ProviderAttempt {
  readonly provider: string;
  readonly model: string;
  readonly tag: string;
  readonly status: number;
  /** Of a failed attempt: the row of the error table, and the provider's own code. For operators only. */
  readonly failure?: { readonly row: ErrorCode; readonly code?: string };
  /** Milliseconds until the first delta or the failure. */
  readonly latency: number;
  /** Whether a credential of the account was used. */
  readonly isByok?: boolean;
  /** Which of several credentials of the operator was used, from 1; for operators only. */
  readonly keyPosition?: number;
}

/**
 * The record of one model call (docs/spec/accounts.md#generations): what happened and what it cost, never contents.
 * Times are Unix milliseconds, durations milliseconds; undefined means unknown.
 */
export interface Generation {
  readonly id: string;
  /** The id of the first turn's record of the same request; the own id where this is the first. */
  readonly requestId: string;
  readonly accountId: string;
  readonly keyHash: string;
  readonly workspaceId: string | null;
  readonly createdAt: number;
  readonly settledAt: number;
  readonly requestedModel: string;
  /** Model, provider and endpoint that answered last; undefined when none was reached. */
  readonly model?: string;
  readonly provider?: string;
  readonly endpointTag?: string;
  readonly upstreamId?: string;
  readonly sessionId?: string;
  readonly externalUser?: string;
  readonly httpReferer?: string;
  /** The host that the request came from, by its referer or origin. */
  readonly origin?: string;
  readonly appTitle?: string;
  readonly userAgent?: string;
  /** The slug of the preset that the request named, and its id where it was a stored one. */
  readonly preset?: string;
  readonly presetId?: string;
  readonly serviceTier?: string;
  readonly isByok: boolean;
  /** The account's own provider credential that served. */
  readonly credentialId?: string;
  readonly streamed: boolean;
  /**
   * The process of the call stopped renewing its hold, and this record closed the call at no cost. If that process
   * was only paused, its own record replaces this one (docs/spec/money.md#lapsed-holds).
   */
  readonly lapsed?: true;
  /** The client left before the end. */
  readonly cancelled: boolean;
  readonly finishReason?: string;
  readonly nativeFinishReason?: string;
  readonly errorType?: string;
  readonly latency?: number;
  readonly generationTime?: number;
  readonly usage: Usage;
  /** The number of pictures, files and videos in the prompt, and in the output. */
  readonly mediaInput?: number;
  readonly mediaOutput?: number;
  /** The number of audio parts in the prompt. */
  readonly audioInputs?: number;
  /** True when a count that decides the cost had to be estimated. */
  readonly usageEstimated: boolean;
  /** Which counts of the provider could not be true and were estimated instead. */
  readonly implausibleUsage?: readonly ImplausibleCount[];
  /** True when nothing is charged because there was no result (docs/spec/money.md#calls-that-cost-nothing). */
  readonly insured: boolean;
  /** The endpoint has no known price: every amount here is unknown rather than zero. */
  readonly unpriced?: true;
  /** Credits charged. */
  readonly cost: NanoUsd;
  /** The cost of the same usage on the shared endpoint. */
  readonly listCost: NanoUsd;
  /** The cost of the input without a cache, less its actual cost (docs/spec/money.md#cost). */
  readonly cacheDiscount?: NanoUsd;
  readonly attempts: readonly ProviderAttempt[];
  /** The router that chose the model; undefined where the request named it. */
  readonly routedBy?: string;
  /** The kind of task that router recognised. */
  readonly routedTask?: string;
  /** What stages and tools did, in their order; undefined where nothing was done. */
  readonly pipeline?: readonly PipelineEntry[];
}

/** What usage can be summed by: accounts by id, keys by label, days of UTC. */
export type UsageGrouping = 'account' | 'key' | 'model' | 'provider' | 'day';

/** One line of a usage report. */
export interface UsageRow {
  readonly group: string;
  readonly requests: number;
  readonly inputTokens: number;
  /** The part of them that was read from a cache. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly cost: NanoUsd;
}

/** Reads generation records; only the ledger writes them. */
export interface GenerationStore {
  find(id: string): Promise<Generation | undefined>;
  /** The further turns of a request, oldest first: every generation of it but the first, whose id it bears. */
  ofRequest(requestId: string): Promise<readonly Generation[]>;
  /**
   * How many requests that an account made since `since` (Unix milliseconds) named a free variant (`:free`) first, or
   * were served by one. Excludes requests served with own provider credentials.
   */
  countFree(accountId: string, since: number): Promise<number>;
  /**
   * Sums since `since` (Unix milliseconds), of all accounts or of one; most expensive first (days: oldest first).
   * @param endDay Before this UTC day, counted from 1970.
   */
  usage(since: number, by: UsageGrouping, accountId?: string, endDay?: number): Promise<readonly UsageRow[]>;
}
