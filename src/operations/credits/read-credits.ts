import type { Balance, LedgerEntry } from '../../ports/ledger.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import type { Uses } from '../services.ts';

type CreditServices = Uses<'accounts' | 'ledger'>;

/** The credits of an account. Refuses like `accountOf`. */
export async function readBalance(
  actor: Actor,
  input: { readonly account?: string },
  services: CreditServices,
): Promise<{ readonly accountId: string; readonly balance: Balance }> {
  const { id: accountId } = await accountOf(actor, input.account, services);
  return { accountId, balance: await services.storage.ledger.balance(accountId) };
}

/** The movements of credits of an account besides charges, oldest first. Refuses like `accountOf`. */
export async function listEntries(
  actor: Actor,
  input: { readonly account?: string },
  services: CreditServices,
): Promise<{ readonly accountId: string; readonly entries: readonly LedgerEntry[] }> {
  const { id: accountId } = await accountOf(actor, input.account, services);
  return { accountId, entries: await services.storage.ledger.entries(accountId) };
}
