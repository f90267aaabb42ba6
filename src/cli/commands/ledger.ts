import type { Command } from 'commander';
import { differenceAlert } from '../../alerts/raised-alerts.ts';
import { formatUsd, usdToNumber } from '../../core/money.ts';
import { operator } from '../../management/actor.ts';
import { showEntry } from '../../management/credits/show.ts';
import { expireCredits, verifyLedger } from '../../management/credits/verify-ledger.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { formatTable } from '../format-table.ts';
import { entryColumns, entryRow } from '../ledger-entry-view.ts';

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
