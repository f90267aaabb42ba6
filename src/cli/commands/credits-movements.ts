import { type Command, Option } from 'commander';
import type { NanoUsd } from '../../core/money.ts';
import { operator } from '../../operations/actor.ts';
import {
  bookCredits,
  type Movement,
  type Remarks,
  transferCredits,
} from '../../operations/credits/book-credits.ts';
import type { CommandContext } from '../context.ts';
import { parsePositiveAmount, parseSignedAmount, parseText, parseTime } from '../option-values.ts';
import { answerBalance } from './credits-balance.ts';

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
export function addMovementCommands(credits: Command, context: CommandContext): void {
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
