import { type Command, Option } from 'commander';
import { differenceAlert } from '../../alerts/raised-alerts.ts';
import { formatUsd, type NanoUsd, usdToNumber } from '../../core/money.ts';
import { operator } from '../../management/actor.ts';
import {
  bookCredits,
  listEntries,
  type Movement,
  type Remarks,
  readBalance,
  transferCredits,
} from '../../management/credits/credits.ts';
import { showBalance, showEntry } from '../../management/credits/show.ts';
import { expireCredits, verifyLedger } from '../../management/credits/verify-ledger.ts';
import type { Balance } from '../../ports/ledger.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { formatPairs, formatTable } from '../format-table.ts';
import { entryColumns, entryRow } from '../ledger-entry-view.ts';
import { parsePositiveAmount, parseSignedAmount, parseText, parseTime } from '../option-values.ts';

/** `credits grant`, `refund`, `adjust`, `transfer`, `balance` and `entries`. */
export function addCreditCommands(program: Command, context: CommandContext): void {
  const credits = program.command('credits').description('money of accounts');
  addMovementCommands(credits, context);
  addAccountOption(credits.command('balance').description('show what an account has')).action(
    ({ account }: { account?: string }) =>
      context.withStorage(async (services) =>
        answerBalance(context, await readBalance(operator, { account }, services)),
      ),
  );
  addAccountOption(credits.command('entries').description('show what was given and taken')).action(
    ({ account }: { account?: string }) =>
      context.withStorage(async (services) => {
        const { accountId, entries } = await listEntries(operator, { account }, services);
        const table = formatTable(entryColumns, entries.map(entryRow));
        context.answer({ account_id: accountId, entries: entries.map(showEntry) }, table);
      }),
  );
}

function addAccountOption(command: Command): Command {
  return command.option('--account <id>', 'the account (default: the only one)');
}

interface MovementOptions {
  readonly amount: NanoUsd;
  readonly account?: string;
  readonly purchase?: boolean;
  readonly fee?: NanoUsd;
  readonly expires?: number;
  readonly to: string;
  readonly ref?: string;
  readonly note?: string;
  readonly by?: string;
}

/** `credits grant`, `credits refund`, `credits adjust` and `credits transfer`. */
function addMovementCommands(credits: Command, context: CommandContext): void {
  addMovement(credits.command('grant').description('add credits to an account'), parsePositiveAmount)
    .option('--purchase', 'they were bought: count them toward the free-tier threshold')
    .option('--fee <usd>', 'what was paid on top; no part of the balance', parsePositiveAmount)
    .option('--expires <time>', 'when what is left of them lapses', parseTime)
    .action((options: MovementOptions) =>
      book(context, options, options.purchase === true ? 'purchase' : 'grant'),
    );
  addMovement(
    credits.command('refund').description('take credits from an account'),
    parsePositiveAmount,
  ).action((options: MovementOptions) => book(context, options, 'refund'));
  addMovement(
    credits.command('adjust').description('put a balance right, up or down'),
    parseSignedAmount,
  ).action((options: MovementOptions) => book(context, options, 'adjustment'));
  addMovement(credits.command('transfer').description('move credits to another account'), parsePositiveAmount)
    .addOption(new Option('--to <id>', 'the other account').makeOptionMandatory())
    .action((options: MovementOptions) =>
      context.withStorage(async (services) => {
        const { amount, account: from, to } = options;
        const transfer = { ...readRemarks(options), amount, from, to };
        answerBalance(context, await transferCredits(operator, transfer, services));
      }),
    );
}

function addMovement(command: Command, parseAmount: (text: string) => NanoUsd): Command {
  return command
    .addOption(new Option('--amount <usd>', 'amount in USD').argParser(parseAmount).makeOptionMandatory())
    .option('--account <id>', 'the account (default: the only one)')
    .option('--ref <reference>', 'your reference; a repeat with it changes nothing', parseText)
    .option('--note <text>', 'remark kept with the entry', parseText)
    .option('--by <name>', 'who does it (default: command line)', parseText);
}

async function book(
  context: CommandContext,
  options: MovementOptions,
  kind: Movement['kind'],
): Promise<void> {
  await context.withStorage(async (services) => {
    const { amount, account } = options;
    const movement = { ...readRemarks(options), kind, amount, account };
    answerBalance(context, await bookCredits(operator, movement, services));
  });
}

function readRemarks({ fee, expires, ref, note, by }: MovementOptions): Remarks {
  return { fee, expiresAt: expires, reference: ref, note, by };
}

/** The balance of an account and, after a movement, whether that was booked or a repeat. */
interface ShownBalance {
  readonly accountId: string;
  readonly balance: Balance;
  readonly booked?: boolean;
}

/** Answers with the balance of an account. */
function answerBalance(context: CommandContext, { accountId, balance, booked }: ShownBalance): void {
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

/** `ledger verify` and `ledger expire`. */
export function addLedgerCommands(program: Command, context: CommandContext): void {
  const ledger = program.command('ledger').description('the books');
  addVerifyCommand(ledger, context);
  ledger
    .command('expire')
    .description('book the expiry of all credit past its time (a balance does so when it is read)')
    .action(() =>
      context.withStorage(async (services) => {
        const expired = await expireCredits(operator, services);
        const table = formatTable(entryColumns, expired.map(entryRow));
        context.answer(
          { expired: expired.map(showEntry) },
          expired.length === 0 ? 'Nothing is past its time.\n' : table,
        );
      }),
    );
}

/** Recomputes every kept total and names each difference; fails when there is one. */
function addVerifyCommand(ledger: Command, context: CommandContext): void {
  ledger
    .command('verify')
    .description('recompute every balance and counter from the entries')
    .action(() =>
      context.withStorage(async (services, { alerts }) => {
        const differences = await verifyLedger(operator, services);
        const rows = differences.map(({ subject, kept, recomputed }) => [
          subject,
          formatUsd(kept),
          formatUsd(recomputed),
        ]);
        const columns = [
          { heading: 'SUBJECT' },
          { heading: 'KEPT', align: 'right' },
          { heading: 'RECOMPUTED', align: 'right' },
        ] as const;
        context.answer(
          {
            differences: differences.map(({ subject, kept, recomputed }) => ({
              subject,
              kept_usd: usdToNumber(kept),
              recomputed_usd: usdToNumber(recomputed),
            })),
          },
          rows.length === 0 ? 'The ledger agrees with its entries.\n' : formatTable(columns, rows),
        );
        if (rows.length > 0) {
          const { storage, clock } = services;
          if (alerts.webhook !== undefined) {
            await storage.alerts.raise(differenceAlert(rows.length, clock.now()));
          }
          throw new CommandFailure(
            `the ledger differs from its entries in ${rows.length} place(s); keep a copy of the database and compare before changing anything`,
          );
        }
      }),
    );
}
