import type { Account, BillingMode } from '../../ports/accounts.ts';
import type { OperatorActor } from '../actor.ts';
import { accountLook } from '../audit/look-at.ts';
import { makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';
import { newAccount } from './new-account.ts';

/** Creates an account with its default workspace. */
export async function createAccount(
  actor: OperatorActor,
  input: { readonly name: string; readonly billingMode: BillingMode; readonly kind: Account['kind'] },
  services: UsesToChange<'accounts'>,
): Promise<Account> {
  const account = newAccount(input.name, input.billingMode, services.clock.now(), input.kind);
  const { id } = account;
  await makeChange(
    { actor, action: 'account.create', id, accountId: id, look: accountLook(id) },
    services,
    ({ accounts }) => accounts.create(account),
  );
  return account;
}
