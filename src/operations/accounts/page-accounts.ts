import type { Account, AccountPlace } from '../../ports/accounts.ts';
import type { Balance } from '../../ports/ledger.ts';
import { isoTime } from '../../util/iso-time.ts';
import type { OperatingActor } from '../actor.ts';
import type { Uses } from '../services.ts';

/** An account with its money. */
export interface AccountLine {
  readonly account: Account;
  readonly balance: Balance;
}

/** Some accounts, oldest first. */
export async function pageAccounts(
  _actor: OperatingActor,
  { cursor, limit }: { readonly cursor?: AccountPlace | undefined; readonly limit: number },
  { storage }: Uses<'accounts' | 'ledger'>,
): Promise<{ readonly accounts: readonly AccountLine[]; readonly next: AccountPlace | undefined }> {
  const found = await storage.accounts.page(cursor, limit + 1);
  const shown = found.slice(0, limit);
  const accounts = await Promise.all(
    shown.map(async (account) => ({ account, balance: await storage.ledger.balance(account.id) })),
  );
  return { accounts, next: found.length > limit ? shown.at(-1) : undefined };
}

/** An account of a list as JSON. */
export function showAccountLine({ account, balance: { balance, spentTotal } }: AccountLine) {
  const { id, name, kind, billingMode, disabled, createdAt } = account;
  return {
    id,
    name,
    kind,
    billing_mode: billingMode,
    disabled,
    balance_nano: String(balance),
    spent_nano: String(spentTotal),
    created_at: isoTime(createdAt),
  };
}
