import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { type NanoUsd, nanoFromInteger, zeroUsd } from '../../core/money.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { findAccount } from '../find-account.ts';
import { parsePositiveAmount, parseSignedAmount, parseText, parseTime } from '../option-values.ts';
import { answerBalance } from './credits-balance.ts';

interface MovementOptions {
  readonly amount: NanoUsd;
  readonly account?: string;
  readonly purchase?: boolean;
  readonly fee?: NanoUsd;
  readonly expires?: number;
  readonly to?: string;
  readonly ref?: string;
  readonly note?: string;
  readonly by?: string;
}

/** `credits grant`, `credits refund`, `credits adjust` and `credits transfer`. */
export function addMovementCommands(credits: Command, context: CommandContext): void {
  addMovement(credits.command('grant').description('add credits to an account'), parsePositiveAmount)
    .option('--purchase', 'they were bought: count them toward the free-tier threshold')
    .option('--fee <usd>', 'what was paid on top; no part of the balance', parsePositiveAmount)
    .option('--expires <time>', 'when what is left of them lapses', parseTime)
    .action((options: MovementOptions) => {
      const isPurchase = options.purchase === true;
      const type = isPurchase ? 'purchase' : 'grant';
      return move(context, options, { type, amount: options.amount, countsAsPurchase: isPurchase });
    });
  addMovement(
    credits.command('refund').description('take credits from an account'),
    parsePositiveAmount,
  ).action((options: MovementOptions) => {
    const amount = nanoFromInteger(-options.amount);
    return move(context, options, { type: 'refund', amount, countsAsPurchase: false });
  });
  addMovement(
    credits.command('adjust').description('put a balance right, up or down'),
    parseSignedAmount,
  ).action((options: MovementOptions) =>
    move(context, options, { type: 'adjustment', amount: options.amount, countsAsPurchase: false }),
  );
  addMovement(credits.command('transfer').description('move credits to another account'), parsePositiveAmount)
    .addOption(new Option('--to <id>', 'the other account').makeOptionMandatory())
    .action((options: MovementOptions) => transfer(context, options));
}

function addMovement(command: Command, parseAmount: (text: string) => NanoUsd): Command {
  return command
    .addOption(new Option('--amount <usd>', 'amount in USD').argParser(parseAmount).makeOptionMandatory())
    .option('--account <id>', 'the account (default: the only one)')
    .option('--ref <reference>', 'your reference; a repeat with it changes nothing', parseText)
    .option('--note <text>', 'remark kept with the entry', parseText)
    .option('--by <name>', 'who does it (default: command line)', parseText);
}

type Movement = Pick<LedgerEntry, 'type' | 'amount' | 'countsAsPurchase'>;

async function move(context: CommandContext, options: MovementOptions, movement: Movement): Promise<void> {
  await context.withStorage(async (storage) => {
    const { id } = await findAccount(storage, options.account);
    const booked = await storage.ledger.append(entryOf(context, options, id, movement));
    await answerBalance(context, storage, id, { booked });
  });
}

async function transfer(context: CommandContext, options: MovementOptions): Promise<void> {
  await context.withStorage(async (storage) => {
    const from = await findAccount(storage, options.account);
    const to = await findAccount(storage, options.to);
    if (from.id === to.id) throw new CommandFailure('--to names the account the credits come from');
    const movement = (amount: NanoUsd): Movement => ({ type: 'transfer', amount, countsAsPurchase: false });
    const taken = entryOf(context, options, from.id, movement(nanoFromInteger(-options.amount)));
    const given = entryOf(context, options, to.id, movement(options.amount));
    const booked = await storage.ledger.append(
      { ...taken, relatedId: given.id },
      { ...given, relatedId: taken.id },
    );
    await answerBalance(context, storage, from.id, { booked });
  });
}

function entryOf(
  context: CommandContext,
  options: MovementOptions,
  accountId: string,
  movement: Movement,
): LedgerEntry {
  return {
    ...movement,
    id: randomUUID(),
    accountId,
    fee: options.fee ?? zeroUsd,
    expiresAt: options.expires ?? null,
    externalRef: options.ref ?? null,
    relatedId: null,
    note: options.note ?? null,
    createdBy: options.by ?? 'command line',
    createdAt: context.surroundings.clock.now(),
  };
}
