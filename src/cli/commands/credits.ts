import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { findAccount } from '../find-account.ts';
import { formatTable } from '../format-table.ts';
import { entryColumns, entryRow, showEntry } from '../ledger-entry-view.ts';
import { answerBalance } from './credits-balance.ts';
import { addMovementCommands } from './credits-movements.ts';

/** `credits grant`, `refund`, `adjust`, `transfer`, `balance` and `entries`. */
export function addCreditCommands(program: Command, context: CommandContext): void {
  const credits = program.command('credits').description('money of accounts');
  addMovementCommands(credits, context);
  addAccountOption(credits.command('balance').description('show what an account has')).action(
    ({ account }: { account?: string }) =>
      context.withStorage(async (storage) => {
        const { id } = await findAccount(storage, account);
        await answerBalance(context, storage, id, {});
      }),
  );
  addAccountOption(credits.command('entries').description('show what was given and taken')).action(
    ({ account }: { account?: string }) =>
      context.withStorage(async (storage) => {
        const { id } = await findAccount(storage, account);
        const entries = await storage.ledger.entries(id);
        const table = formatTable(entryColumns, entries.map(entryRow));
        context.answer({ account_id: id, entries: entries.map(showEntry) }, table);
      }),
  );
}

function addAccountOption(command: Command): Command {
  return command.option('--account <id>', 'the account (default: the only one)');
}
