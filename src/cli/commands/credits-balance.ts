import { formatUsd } from '../../core/money.ts';
import { showBalance } from '../../operations/credits/show-credits.ts';
import type { Balance } from '../../ports/ledger.ts';
import type { CommandContext } from '../context.ts';
import { formatPairs } from '../format-table.ts';

/** The balance of an account and, after a movement, whether that was booked or a repeat. */
interface ShownBalance {
  readonly accountId: string;
  readonly balance: Balance;
  readonly booked?: boolean;
}

/** Answers with the balance of an account. */
export function answerBalance(context: CommandContext, { accountId, balance, booked }: ShownBalance): void {
  const repeated = booked === false ? 'Booked before under this reference: nothing changed.\n' : '';
  context.answer(
    { account_id: accountId, ...(booked !== undefined && { booked }), ...showBalance(balance) },
    repeated + balanceText(accountId, balance),
  );
}

function balanceText(accountId: string, { balance, purchasedTotal, spentTotal }: Balance): string {
  return formatPairs([
    ['Account', accountId],
    ['Balance', `${formatUsd(balance)} USD`],
    ['Purchased', `${formatUsd(purchasedTotal)} USD`],
    ['Spent', `${formatUsd(spentTotal)} USD`],
  ]);
}
