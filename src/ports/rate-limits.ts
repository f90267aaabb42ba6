/** The metrics that can be limited: requests and tokens within a minute, and requests that run at the same time. */
export type RateMetric = 'requests' | 'tokens' | 'parallel';

/** Who is limited: an API key, an account with all its keys, the whole installation, or what calls a provider or endpoint gets. */
export interface RateSubject {
  readonly kind: 'key' | 'account' | 'service' | 'provider' | 'endpoint';
  /** Unique among its kind. */
  readonly id: string;
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly parallel?: number;
}

/** What one client request claims. */
export interface RateClaim {
  readonly requestId: string;
  /** Tokens reserved for it; `settle` corrects them. */
  readonly tokens: number;
  /** At least one, all of one home. */
  readonly subjects: readonly RateSubject[];
  /** Milliseconds after which a running request whose process died no longer counts as parallel. */
  readonly lease: number;
}

/** Whether a request is admitted, or which limit frees last. */
export type RateOutcome =
  | {
      readonly admitted: true;
      /** The second in which it was counted, since 1970. */
      readonly second: number;
    }
  | {
      readonly admitted: false;
      readonly subject: RateSubject['kind'];
      readonly metric: RateMetric;
      readonly limit: number;
      /** What counts against the limit now. */
      readonly used: number;
      /** When the request will fit, Unix milliseconds. Undefined: never, it exceeds the limit by itself. */
      readonly fitsAt: number | undefined;
    };

/**
 * Counts requests, tokens and parallel requests of limited subjects in sliding minutes. Seconds are counted whole, the
 * current one and 60 before it: in no 60 seconds is more admitted than the limit; a request waits at most one second
 * too long. Every call is one atomic step for its home, whatever process it comes from. Rejects when the shared state
 * cannot be reached.
 */
export interface RateLimits {
  /**
   * Counts a request against every limit of its subjects, or against none when one of them is reached.
   * @param home The account of the subjects, or another name for the installation.
   */
  claim(home: string, claim: RateClaim): Promise<RateOutcome>;
  /** What `claim` would return now. Counts nothing. */
  look(home: string, claim: RateClaim): Promise<RateOutcome>;
  /**
   * Takes a claim back as if it had not been made.
   * @param second As `claim` returned it.
   */
  withdraw(home: string, claim: RateClaim, second: number): Promise<void>;
  /**
   * Ends a request: books the tokens beyond the reserved ones now, gives unused ones back to the second that they were
   * counted in, and frees its parallel place.
   * @param second As `claim` returned it.
   */
  settle(home: string, claim: RateClaim, second: number, tokens: number): Promise<void>;
  /** Renews the leases of running requests. */
  renew(home: string, claims: readonly RateClaim[]): Promise<void>;
}
