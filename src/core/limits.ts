import type { CalendarRule } from './limit-calendar.ts';
import type { NanoUsd } from './money.ts';

/** The in-flight limits of prepaid accounts (docs/spec/money.md#in-flight-budget). Durations are milliseconds. */
export interface InFlightRules {
  readonly enabled: boolean;
  /** Of the balance, 0 to 1. */
  readonly fraction: number;
  /** The limit whatever the balance. */
  readonly ceiling: NanoUsd;
  /** The balance from which no limit applies. */
  readonly threshold: NanoUsd;
  /** The largest output to assume, in tokens. */
  readonly outputTokensCap: number;
  /** How long a settled charge still counts. */
  readonly settlementWindow: number;
  /** The time after which a hold without renewal expires. */
  readonly lease: number;
  readonly leaseRenewal: number;
  /** Age and spend from which an account is established, so that no limit applies. */
  readonly establishedAgeDays: number;
  readonly establishedSpend: NanoUsd;
}

/** Limits of free variants (docs/spec/money.md#free-variants): requests of an account in a UTC window. */
export interface FreeModelRules {
  readonly perMinute: number;
  readonly perDay: number;
  readonly perDayAfterPurchase: number;
  /** The all-time purchases that give the higher daily limit. */
  readonly purchaseThreshold: NanoUsd;
}

/** The largest limit of requests, tokens or parallel requests: counts and sums of them stay exact. */
export const mostPerMinute = 1_000_000_000_000;

/** How much one key, one account or the installation may ask for; undefined is any amount. */
export interface RateLimit {
  /** In any 60 seconds. */
  readonly requestsPerMinute?: number;
  /** In any 60 seconds, input and output together. */
  readonly tokensPerMinute?: number;
  /** Requests that run at the same time. */
  readonly parallel?: number;
}

/** Limits of requests, tokens and parallel requests. */
export interface RateRules {
  /** Of every key; a key may have lower limits of its own. */
  readonly key: RateLimit;
  /** Of every account, over all its keys. */
  readonly account: RateLimit;
  /** Of all accounts together. */
  readonly service: RateLimit;
  /** Whether a request reserves all the output it may make, or at most `tokenReserve`. */
  readonly tokenReservation: 'estimate' | 'maximum';
  readonly tokenReserve: number;
}

/** How many pieces that are paid apart one answer of a provider has at most, whatever the provider reports. */
export interface ReportedPieces {
  readonly searches: number;
  readonly pictures: number;
}

/** How much accounts may store. */
export interface StoredLimits {
  /** Files of a workspace, and their bytes. */
  readonly files: number;
  readonly fileBytes: number;
  /** Bytes of JSON of the presets of a workspace, all versions together. */
  readonly presetBytes: number;
  /** Of a workspace; keys that are not deleted. */
  readonly keys: number;
  readonly guardrails: number;
  /** Of an account. */
  readonly workspaces: number;
  readonly credentials: number;
  /** How often a minute an account may store or delete files, and store presets. */
  readonly fileWritesPerMinute: number;
  readonly presetWritesPerMinute: number;
}

/** The limits of accounts. */
export interface Limits {
  /** The zone of the IANA database whose days limits and budgets begin anew with. */
  readonly resetTimezone: string;
  /** The first day of their weeks. */
  readonly weekStart: CalendarRule['weekStart'];
  readonly reportedPieces: ReportedPieces;
  readonly inFlightBudget: InFlightRules;
  readonly freeModels: FreeModelRules;
  /** The longest answer of a provider, in bytes. */
  readonly answerBytes: number;
  /** How often a key may have tokens counted in a minute. */
  readonly countTokensPerMinute: number;
  readonly failedAuthentication: {
    /** Unknown keys of one client address in a minute; 0 means any number. */
    readonly perMinute: number;
  };
  readonly rates: RateRules;
  readonly stored: StoredLimits;
}
