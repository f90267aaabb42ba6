import { formatUsd, usdToNumber } from '../../core/money.ts';
import type { Balance } from '../../ports/ledger.ts';
import type { Storage } from '../../ports/storage.ts';
import type { CommandContext } from '../context.ts';
import { formatPairs } from '../format-table.ts';

/** Answers with the balance of an account, and whether a movement before it was booked or a repeat. */
export async function answerBalance(
  context: CommandContext,
  { ledger }: Storage,
  accountId: string,
  outcome: { readonly booked?: boolean },
): Promise<void> {
  const balance = await ledger.balance(accountId);
  const repeated = outcome.booked === false ? 'Booked before under this reference: nothing changed.\n' : '';
  context.answer(
    { account_id: accountId, ...outcome, ...showBalance(balance) },
    repeated + balanceText(accountId, balance),
  );
}

function showBalance({ balance, purchasedTotal, spentTotal }: Balance) {
  return {
    balance_usd: usdToNumber(balance),
    purchased_total_usd: usdToNumber(purchasedTotal),
    settled_spend_total_usd: usdToNumber(spentTotal),
  };
}

function balanceText(accountId: string, { balance, purchasedTotal, spentTotal }: Balance): string {
  return formatPairs([
    ['Account', accountId],
    ['Balance', `${formatUsd(balance)} USD`],
    ['Purchased', `${formatUsd(purchasedTotal)} USD`],
    ['Spent', `${formatUsd(spentTotal)} USD`],
  ]);
}
