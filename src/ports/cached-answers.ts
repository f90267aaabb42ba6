/** An answer that is kept sealed. Times are Unix milliseconds. */
export interface CachedAnswer {
  /** Base64; only the process's own seal opens it. */
  readonly sealed: string;
  readonly storedAt: number;
  readonly expiresAt: number;
}

/**
 * Keeps whole answers for callers that ask for it (docs/spec/caching.md). It only saves money: what it cannot read or keep is
 * answered by a model, so no call fails.
 */
export interface CachedAnswers {
  find(key: string): Promise<CachedAnswer | undefined>;
  /** Keeps an answer until it expires or its room is needed. One that is too long is not kept. */
  keep(key: string, answer: CachedAnswer): Promise<void>;
  forget(key: string): Promise<void>;
}

/** Bounds of what is kept, in characters of the sealed form. */
export interface CachedAnswerLimits {
  readonly entry: number;
  readonly total: number;
}

/** 1 MiB an answer, 256 MiB in all. */
export const cachedAnswerLimits: CachedAnswerLimits = { entry: 1_048_576, total: 268_435_456 };
