import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { formatUsd, type NanoUsd, nanoFromInteger, usdToNumber, zeroUsd } from '../../core/money.ts';
import type { Balance, LedgerEntry } from '../../ports/ledger.ts';
import type { Storage } from '../../ports/storage.ts';
import type { CommandContext } from '../context.ts';
import { findAccount } from '../find-account.ts';
import { formatPairs } from '../format-table.ts';
import { parsePositiveAmount, parseText } from '../option-values.ts';

interface MovementOptions {
  readonly amount: NanoUsd;
  readonly account?: string;
  readonly purchase?: boolean;
  readonly ref?: string;
  readonly note?: string;
}

/** `credits grant`, `credits refund` and `credits balance`. */
export function addCreditCommands(program: Command, context: CommandContext): void {
  const credits = program.command('credits').description('money of accounts');
  addMovementOptions(credits.command('grant').description('add credits to an account'))
    .option('--purchase', 'count it toward the free-tier threshold')
    .action((options: MovementOptions) => {
      const isPurchase = options.purchase === true;
      return move(context, options, {
        type: isPurchase ? 'purchase' : 'grant',
        amount: options.amount,
        countsAsPurchase: isPurchase,
      });
    });
  addMovementOptions(credits.command('refund').description('take credits from an account')).action(
    (options: MovementOptions) =>
      move(context, options, {
        type: 'refund',
        amount: nanoFromInteger(-options.amount),
        countsAsPurchase: false,
      }),
  );
  credits
    .command('balance')
    .description('show what an account has')
    .option('--account <id>', 'the account (default: the only one)')
    .action(({ account }: { account?: string }) =>
      context.withStorage(async (storage) => {
        const { id } = await findAccount(storage, account);
        await answerBalance(context, storage, id, {});
      }),
    );
}

function addMovementOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--amount <usd>', 'amount in USD').argParser(parsePositiveAmount).makeOptionMandatory(),
    )
    .option('--account <id>', 'the account (default: the only one)')
    .option('--ref <reference>', 'your reference; a repeat with it changes nothing', parseText)
    .option('--note <text>', 'remark kept with the entry', parseText);
}

type Movement = Pick<LedgerEntry, 'type' | 'amount' | 'countsAsPurchase'>;

async function move(context: CommandContext, options: MovementOptions, movement: Movement): Promise<void> {
  await context.withStorage(async (storage) => {
    const { id } = await findAccount(storage, options.account);
    const booked = await storage.ledger.append({
      ...movement,
      id: randomUUID(),
      accountId: id,
      fee: zeroUsd,
      expiresAt: null,
      relatedId: null,
      createdBy: 'command line',
      externalRef: options.ref ?? null,
      note: options.note ?? null,
      createdAt: context.surroundings.clock.now(),
    });
    await answerBalance(context, storage, id, { booked });
  });
}

async function answerBalance(
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
