import type { Account, AccountChange } from '../../ports/accounts.ts';
import type { Actor } from '../actor.ts';
import { accountLook } from '../audit/look-at.ts';
import { makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';
import { noSuchAccount } from './account-of.ts';

/** What every change of an account is recorded as. */
export const accountUpdate = 'account.update';

/**
 * Stores a change of an account with its audit entry. Its callers decide who may change what.
 * @throws HeadgateError `not_found`.
 */
export async function storeAccountChange(
  actor: Actor,
  id: string,
  change: (current: Account) => AccountChange,
  services: UsesToChange<'accounts'>,
): Promise<Account> {
  const look = accountLook(id);
  return makeChange(
    { actor, action: accountUpdate, id, accountId: id, look, outdates: { kind: 'callers' } },
    services,
    async ({ accounts }) => {
      const changed = await accounts.update(id, change);
      if (changed === undefined) throw noSuchAccount(id);
      return changed;
    },
  );
}
