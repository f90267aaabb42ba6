import type { Command } from 'commander';
import { operator } from '../../operations/actor.ts';
import { listEntries, readBalance } from '../../operations/credits/read-credits.ts';
import { showEntry } from '../../operations/credits/show-credits.ts';
import type { CommandContext } from '../context.ts';
import { formatTable } from '../format-table.ts';
import { entryColumns, entryRow } from '../ledger-entry-view.ts';
import { answerBalance } from './credits-balance.ts';
import { addMovementCommands } from './credits-movements.ts';

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
