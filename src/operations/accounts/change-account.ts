import type { Account, AccountChange, AccountPrivacy } from '../../ports/accounts.ts';
import type { OperatorActor } from '../actor.ts';
import { makeChange } from '../make-change.ts';
import type { Uses } from '../services.ts';
import { noSuchAccount } from './account-of.ts';
import { checkProviders, type ProvidersInService } from './check-providers.ts';
import { mergePrivacy } from './merge-privacy.ts';

/** What of an account changes; what is absent stays. Privacy settings change one by one. */
export interface ChangedAccount {
  readonly id: string;
  readonly change: Omit<AccountChange, 'privacy'>;
  readonly privacy: AccountPrivacy;
}

/**
 * Changes an account.
 * @param providers Those in service, to check the lists of providers against.
 * @throws HeadgateError `not_found`; `invalid_request` for a provider nobody knows.
 */
export async function changeAccount(
  actor: OperatorActor,
  { id, change, privacy }: ChangedAccount,
  services: Uses<'accounts', 'invalidate'>,
  providers: ProvidersInService,
): Promise<Account> {
  checkProviders([...(privacy.allowedProviders ?? []), ...(privacy.ignoredProviders ?? [])], providers);
  const changed = await makeChange(
    { actor, action: 'account.update', id, accountId: id, outdates: { kind: 'callers' } },
    services,
    ({ accounts }) =>
      accounts.update(id, (current) => ({ ...change, privacy: mergePrivacy(current.privacy, privacy) })),
  );
  if (changed === undefined) throw noSuchAccount(id);
  return changed;
}
