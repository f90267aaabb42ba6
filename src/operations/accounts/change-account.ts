import type { RateLimit } from '../../core/limits.ts';
import type { Account, AccountChange, AccountPrivacy } from '../../ports/accounts.ts';
import type { KeyRates } from '../../ports/keys.ts';
import type { OperatorActor } from '../actor.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import type { UsesToChange } from '../services.ts';
import { checkProviders, type ProvidersInService } from './check-providers.ts';
import { accountUpdate, storeAccountChange } from './store-account-change.ts';

/** What of an account changes; what is absent stays. Privacy settings and rates change one by one. */
export interface ChangedAccount {
  readonly id: string;
  readonly change: Omit<AccountChange, 'privacy' | 'rates'>;
  readonly privacy: AccountPrivacy;
  /** Null takes away the limit of its own. */
  readonly rates?: Partial<KeyRates>;
}

/**
 * Changes an account.
 * @param providers Those in service, to check the lists of providers against.
 * @throws HeadgateError `not_found`; `invalid_request` for a provider nobody knows.
 */
export async function changeAccount(
  actor: OperatorActor,
  { id, change, privacy, rates = {} }: ChangedAccount,
  services: UsesToChange<'accounts'>,
  providers: ProvidersInService,
): Promise<Account> {
  return notingRefusal({ actor, action: accountUpdate, id }, services, async () => {
    checkProviders([...(privacy.allowedProviders ?? []), ...(privacy.ignoredProviders ?? [])], providers);
    const merged = (current: Account) => ({
      ...change,
      privacy: mergePrivacy(current.privacy, privacy),
      rates: mergeRates(current.rates, rates),
    });
    return storeAccountChange(actor, id, merged, services);
  });
}

/** The limits of an account after some were given, or undefined when none were. Null takes one away. */
function mergeRates(before: RateLimit | undefined, given: Partial<KeyRates>): RateLimit | undefined {
  if (Object.keys(given).length === 0) return undefined;
  const kept = Object.entries({ ...before, ...given }).filter(([, limit]) => limit != null);
  return Object.fromEntries(kept);
}

/** The privacy settings of an account after some were given, or undefined when none were. */
export function mergePrivacy(
  before: AccountPrivacy | undefined,
  given: AccountPrivacy,
): AccountPrivacy | undefined {
  if (Object.keys(given).length === 0) return undefined;
  // What restricts nothing is not kept.
  const kept = Object.entries({ ...before, ...given }).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value === true,
  );
  return Object.fromEntries(kept);
}
