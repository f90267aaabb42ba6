import type { ByokTerms } from '../core/byok-fee.ts';
import type { NanoUsd } from '../core/money.ts';
import type { Account } from '../ports/accounts.ts';

/** What own provider credentials cost in this installation. */
export interface ByokRates {
  /** Fraction of the list cost, 0 to 1. */
  readonly feeRate: number;
  readonly monthlyAllowance: NanoUsd;
  /** Of accounts whose billing mode is `enterprise`. */
  readonly enterpriseMonthlyAllowance: NanoUsd;
}

const wholeBasis = 10_000;

/** What an account pays for calls its own credentials serve (docs/spec/credentials.md#fee). */
export function byokTermsOf({ billingMode }: Account, rates: ByokRates): ByokTerms {
  const isEnterprise = billingMode === 'enterprise';
  return {
    feeBasisPoints: Math.round(rates.feeRate * wholeBasis),
    monthlyAllowance: isEnterprise ? rates.enterpriseMonthlyAllowance : rates.monthlyAllowance,
  };
}
