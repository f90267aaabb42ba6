import type { NanoUsd } from '../../core/money.ts';
import type { Account } from '../../ports/accounts.ts';
import { inBatches } from '../../util/in-batches.ts';
import type { OperatorActor } from '../actor.ts';
import type { Uses } from '../services.ts';

/** An account and its credits. */
export interface AccountWithBalance {
  readonly account: Account;
  readonly balance: NanoUsd;
}

/** Lists all accounts, oldest first. */
export async function listAccounts(
  _actor: OperatorActor,
  { storage }: Uses<'accounts' | 'ledger'>,
): Promise<readonly AccountWithBalance[]> {
  return inBatches(await storage.accounts.list(), async (account) => ({
    account,
    balance: (await storage.ledger.balance(account.id)).balance,
  }));
}
