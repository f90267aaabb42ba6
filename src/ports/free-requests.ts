/** How many requests for free variants an account may make in a UTC minute and in a UTC day. */
export interface FreeRequestLimits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** Whether a request was counted; if not, which window is full and when it ends (Unix milliseconds). */
export type FreeRequestOutcome =
  | { readonly counted: true }
  | { readonly counted: false; readonly window: 'minute' | 'day'; readonly resetsAt: number };

/** Counts requests for free variants by account, over all its keys (docs/spec/money.md#free-variants). */
export interface FreeRequests {
  /**
   * Counts a request if both windows have room, else changes nothing; atomic. Without limits it is always counted.
   */
  count(accountId: string, limits: FreeRequestLimits | undefined): Promise<FreeRequestOutcome>;
  /** What `count` would answer now, without counting. */
  look(accountId: string, limits: FreeRequestLimits | undefined): Promise<FreeRequestOutcome>;
  /** How many were counted in the current UTC day. */
  countedToday(accountId: string): Promise<number>;
}

/**
 * How many requests for free variants an account made since a moment (Unix milliseconds), according to the ledger.
 */
export type CountBooked = (accountId: string, since: number) => Promise<number>;
