import type { ErrorCode } from '../core/errors.ts';
import type { NanoUsd } from '../core/money.ts';
import type { Usage } from '../core/usage.ts';

/** One attempt of a generation, as `provider_responses` lists it. */
export interface ProviderAttempt {
  readonly provider: string;
  readonly model: string;
  readonly tag: string;
  readonly status: number;
  /** Of one that failed: the row of the error table, and what the provider called it. Told to operators alone. */
  readonly failure?: { readonly row: ErrorCode; readonly code?: string };
  /** Milliseconds until the first delta or the failure. */
  readonly latency: number;
  /** The provider's own id of the answer. */
  readonly upstreamId?: string;
  readonly endpointId?: string;
  /** Whether a credential of the account was used. */
  readonly isByok?: boolean;
  /** The tier the provider said it served. */
  readonly servedTier?: string;
}

/** The kinds of model calls a record may be of; undefined is a generated answer. */
export type GenerationApi =
  | 'completions'
  | 'embeddings'
  | 'rerank'
  | 'decisions'
  | 'video'
  | 'tts'
  | 'stt'
  | 'image';

/**
 * The record of one model call (accounts-and-limits 1.8): what happened and what it cost, never what was
 * said. Times are Unix milliseconds, durations milliseconds; undefined means not known.
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
  /** The router that chose the model. */
  readonly router?: string;
  readonly presetId?: string;
  /** Model, provider and endpoint that answered last; undefined when nobody was reached. */
  readonly model?: string;
  readonly provider?: string;
  readonly endpointTag?: string;
  readonly upstreamId?: string;
  readonly sessionId?: string;
  readonly externalUser?: string;
  readonly httpReferer?: string;
  /** The host the request came from, as its referer or origin says. */
  readonly origin?: string;
  readonly appId?: number;
  readonly appTitle?: string;
  readonly userAgent?: string;
  readonly serviceTier?: string;
  readonly apiType?: GenerationApi;
  readonly dataRegion?: 'global' | 'europe' | 'us';
  readonly isByok: boolean;
  /** The account's own provider credential that served. */
  readonly credentialId?: string;
  readonly webSearchEngine?: string;
  /** The generation whose stored answer this one repeats. */
  readonly responseCacheSourceId?: string;
  readonly streamed: boolean;
  /**
   * Nobody came back for the call: its hold has lapsed and this record closed it, at no cost. The true one replaces it
   * should its process only have been paused (accounts-and-limits 11, case 8).
   */
  readonly lapsed?: true;
  /** The client went away before the end. */
  readonly cancelled: boolean;
  readonly finishReason?: string;
  readonly nativeFinishReason?: string;
  readonly errorType?: string;
  readonly latency?: number;
  readonly moderationLatency?: number;
  readonly generationTime?: number;
  readonly usage: Usage;
  /** Pictures, files and videos in the prompt, and among what was generated. */
  readonly mediaInput?: number;
  readonly mediaOutput?: number;
  /** Pieces of audio in the prompt. */
  readonly audioInputs?: number;
  readonly fetches?: number;
  /** True when a count that decides the cost had to be estimated. */
  readonly usageEstimated: boolean;
  /** True when nothing is charged because nothing came of it (accounts-and-limits 13.8). */
  readonly insured: boolean;
  /** Nobody stated what the endpoint costs: every amount here is unknown rather than zero. */
  readonly unpriced?: true;
  /** Credits charged. */
  readonly cost: NanoUsd;
  /** What the same usage costs on the shared endpoint. */
  readonly listCost: NanoUsd;
  /** What the input would cost without a cache, less what it does cost (accounts-and-limits 13.3). */
  readonly cacheDiscount?: NanoUsd;
  readonly attempts: readonly ProviderAttempt[];
}

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
   * How many requests that an account made since `since` (Unix milliseconds) named a free variant (`:free`) first,
   * or were served by one. What own provider credentials served does not count.
   */
  countFree(accountId: string, since: number): Promise<number>;
  /** Sums since `since` (Unix milliseconds) by key label, model, provider or UTC day, dearest first (days: oldest first). */
  usage(since: number, by: 'key' | 'model' | 'provider' | 'day'): Promise<readonly UsageRow[]>;
}
