import { HeadgateError } from '../core/errors.ts';
import { formatUsd, type NanoUsd, sumUsd, zeroUsd } from '../core/money.ts';
import type { Account } from '../ports/accounts.ts';
import type { ApiKey, KeySpend, SpendWindows } from '../ports/keys.ts';

/** Who asks, and how their money stands. Read from the books a moment ago and kept up since. */
export interface Caller {
  readonly key: ApiKey;
  readonly account: Account;
  readonly spend: KeySpend;
  /** Undefined for accounts that do not pay in advance. */
  readonly balance: NanoUsd | undefined;
}

/** What is left of a key's limit, or null without one (accounts-and-limits 4). */
export function limitRemaining(key: ApiKey, spend: KeySpend): NanoUsd | null {
  if (key.limit === null) return null;
  const counted = windowOf(spend.usage, key);
  const byok = key.includeByokInLimit ? windowOf(spend.byokUsage, key) : zeroUsd;
  const left = key.limit - sumUsd(counted, byok);
  return left > 0n ? (left as NanoUsd) : zeroUsd;
}

/**
 * Refuses every request, free ones too, of an account in debt (accounts-and-limits 10, row 1).
 * @throws HeadgateError `payment_required`.
 */
export function admitAccount(caller: Caller): void {
  if (caller.balance !== undefined && caller.balance < 0n) refuseCredits('The account balance is negative.');
}

/**
 * Refuses a paid request its caller cannot pay for (accounts-and-limits 10, rows 2 and 3).
 * @throws HeadgateError `payment_required`.
 */
export function admitSpending(caller: Caller): void {
  if (limitRemaining(caller.key, caller.spend) === 0n) refuseLimit(caller.key);
  if (caller.balance === 0n) refuseCredits('The account has no credits.');
}

function refuseCredits(message: string): never {
  throw new HeadgateError('payment_required', message, {
    metadata: { limit_source: 'service_credits', remedy_hint: 'Add credits to the account.' },
  });
}

function refuseLimit(key: ApiKey): never {
  const reset = key.limitReset === null ? '' : ` ${key.limitReset}`;
  const limit = formatUsd(key.limit ?? zeroUsd);
  const wait = key.limitReset === null ? '' : ' or wait for its reset';
  throw new HeadgateError('payment_required', `The API key has used up its${reset} limit of ${limit} USD.`, {
    metadata: { limit_source: 'service_key_limit', remedy_hint: `Raise the limit of the key${wait}.` },
  });
}

function windowOf(windows: SpendWindows, key: ApiKey): NanoUsd {
  return key.limitReset === null ? windows.total : windows[key.limitReset];
}
