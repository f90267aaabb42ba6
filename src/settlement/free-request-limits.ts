import type { FreeModelRules } from '../core/limits.ts';
import type { FreeRequestLimits } from '../ports/free-requests.ts';
import type { Balance } from '../ports/ledger.ts';

/**
 * How often an account may ask for free variants: by what it purchased, all time (docs/spec/money.md#free-variants).
 */
export function freeRequestLimits(
  { purchasedTotal }: Pick<Balance, 'purchasedTotal'>,
  rules: FreeModelRules,
): FreeRequestLimits {
  const { perMinute, perDay, perDayAfterPurchase, purchaseThreshold } = rules;
  return { perMinute, perDay: purchasedTotal >= purchaseThreshold ? perDayAfterPurchase : perDay };
}
