import type { NanoUsd } from '../core/money.ts';
import type { Secret } from '../util/secret.ts';

/** When operators are alerted, and where (docs/spec/alerts.md#thresholds). */
export interface AlertRules {
  /** Where alerts are posted. */
  readonly webhook: string;
  /** Signs them; undefined: they are not signed. */
  readonly secret?: Secret;
  /** Fractions of a limit, 0 to 1. */
  readonly thresholds: readonly number[];
  /** The balance of a prepaid account below which it is low. */
  readonly balance: NanoUsd;
  /** What an account may be charged within a UTC hour; undefined: any amount. */
  readonly spendPerHour?: NanoUsd;
}
