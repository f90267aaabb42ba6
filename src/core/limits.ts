import type { NanoUsd } from './money.ts';

/** How much prepaid accounts may have in flight (accounts-and-limits 11). Durations are milliseconds. */
export interface InFlightRules {
  readonly enabled: boolean;
  /** Of the balance, 0 to 1. */
  readonly fraction: number;
  /** The most that may be in flight whatever the balance. */
  readonly ceiling: NanoUsd;
  /** The balance from which no budget applies. */
  readonly threshold: NanoUsd;
  /** Output presumed at most, in tokens. */
  readonly outputTokensCap: number;
  /** How long a settled charge still counts. */
  readonly settlementWindow: number;
  /** After which a hold nobody renews lapses. */
  readonly lease: number;
  readonly leaseRenewal: number;
  /** Age and spend from which an account is established: no budget applies. */
  readonly establishedAgeDays: number;
  readonly establishedSpend: NanoUsd;
}

/** How often free variants may be asked for (accounts-and-limits 12): requests of an account in a UTC window. */
export interface FreeModelRules {
  readonly perMinute: number;
  readonly perDay: number;
  readonly perDayAfterPurchase: number;
  /** What must have been purchased, all time, for the higher daily number. */
  readonly purchaseThreshold: NanoUsd;
}

/** What accounts may do at most. */
export interface Limits {
  readonly inFlightBudget: InFlightRules;
  readonly freeModels: FreeModelRules;
  /** The longest answer of a provider, in bytes. */
  readonly answerBytes: number;
}
