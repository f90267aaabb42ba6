import { type NanoUsd, sumUsd, zeroUsd } from '../core/money.ts';
import type { Account } from '../ports/accounts.ts';
import type { ApiKey, KeySpend, SpendWindows } from '../ports/keys.ts';
import type { Caller } from './caller.ts';
import { keyLimitReached, negativeBalance } from './refusals.ts';

/** Whether an account pays in advance; the others meet no balance check and no in-flight budget. */
export function isPrepaid(account: Account): boolean {
  return account.billingMode === 'prepaid';
}

/** What is left of a key's limit, or null without one (docs/spec/accounts.md#windows). */
export function limitRemaining(key: ApiKey, spend: KeySpend): NanoUsd | null {
  if (key.limit === null) return null;
  const left = key.limit - spentOfLimit(key, spend);
  return left > 0n ? (left as NanoUsd) : zeroUsd;
}

/** What counts against a key's limit in its current window. */
export function spentOfLimit(key: ApiKey, spend: KeySpend): NanoUsd {
  const byok = key.includeByokInLimit ? windowOf(spend.byokUsage, key) : zeroUsd;
  return sumUsd(windowOf(spend.usage, key), byok);
}

/**
 * Refuses every request, free ones too, of an account in debt (docs/spec/money.md#refusals).
 * @throws HeadgateError `payment_required`.
 */
export function admitAccount({ account, funds }: Caller): void {
  if (isPrepaid(account) && funds.balance < 0n) throw negativeBalance();
}

/**
 * Refuses a paid request of a key that has used up its limit (docs/spec/money.md#refusals). What running requests
 * hold of it is judged later (docs/spec/money.md#held-limits).
 * @throws HeadgateError `payment_required`.
 */
export function admitKey({ key, spend }: Caller): void {
  // Asked first because summing windows costs something and most keys have no limit.
  if (key.limit !== null && limitRemaining(key, spend) === 0n) throw keyLimitReached(key);
}

function windowOf(windows: SpendWindows, key: ApiKey): NanoUsd {
  return key.limitReset === null ? windows.total : windows[key.limitReset];
}
