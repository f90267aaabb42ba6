import type { NanoUsd } from './money.ts';

/** The in-flight limits of prepaid accounts (accounts-and-limits 11). Durations are milliseconds. */
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

/** Limits of free variants (accounts-and-limits 12): requests of an account in a UTC window. */
export interface FreeModelRules {
  readonly perMinute: number;
  readonly perDay: number;
  readonly perDayAfterPurchase: number;
  /** The all-time purchases that give the higher daily limit. */
  readonly purchaseThreshold: NanoUsd;
}

/** The limits of accounts. */
export interface Limits {
  readonly inFlightBudget: InFlightRules;
  readonly freeModels: FreeModelRules;
  /** The longest answer of a provider, in bytes. */
  readonly answerBytes: number;
}
