import type { Account, BillingMode } from '../../ports/accounts.ts';
import type { OperatorActor } from '../actor.ts';
import { makeChange } from '../make-change.ts';
import type { Uses } from '../services.ts';
import { newAccount } from './new-account.ts';

/** Creates an account with its default workspace. */
export async function createAccount(
  actor: OperatorActor,
  input: { readonly name: string; readonly billingMode: BillingMode; readonly kind: Account['kind'] },
  services: Uses<'accounts', 'clock' | 'invalidate'>,
): Promise<Account> {
  const account = newAccount(input.name, input.billingMode, services.clock.now(), input.kind);
  await makeChange(
    { actor, action: 'account.create', id: account.id, accountId: account.id },
    services,
    ({ accounts }) => accounts.create(account),
  );
  return account;
}
