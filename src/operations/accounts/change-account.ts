import type { Account, AccountChange, AccountPrivacy } from '../../ports/accounts.ts';
import type { OperatorActor } from '../actor.ts';
import { accountLook } from '../audit/look-at.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';
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
  services: UsesToChange<'accounts'>,
  providers: ProvidersInService,
): Promise<Account> {
  const action = 'account.update';
  return notingRefusal({ actor, action, id }, services, async () => {
    checkProviders([...(privacy.allowedProviders ?? []), ...(privacy.ignoredProviders ?? [])], providers);
    return makeChange(
      { actor, action, id, accountId: id, look: accountLook(id), outdates: { kind: 'callers' } },
      services,
      async ({ accounts }) => {
        const changed = await accounts.update(id, (current) => ({
          ...change,
          privacy: mergePrivacy(current.privacy, privacy),
        }));
        if (changed === undefined) throw noSuchAccount(id);
        return changed;
      },
    );
  });
}
