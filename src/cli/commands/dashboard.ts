import type { Command } from 'commander';
import { operator } from '../../management/actor.ts';
import { createLinkForAccount, loginAddress, usualLinkLife } from '../../management/sessions/sessions.ts';
import { configuredDashboard } from '../ask-server.ts';
import type { CommandContext } from '../context.ts';
import { parseCount, parseText } from '../option-values.ts';

interface LinkOptions {
  readonly account?: string;
  readonly minutes: number;
  readonly url?: string;
}

/** `dashboard link`: an address that logs in to the dashboard once. */
export function addDashboardCommand(program: Command, context: CommandContext): void {
  program
    .command('dashboard')
    .description('the web dashboard')
    .command('link')
    .description('print an address that logs in once, with a management key of the account')
    .option('--account <id>', 'the account; needed where there are several', parseText)
    .option('--minutes <count>', 'how long it works', parseCount, usualLinkLife / 60_000)
    .option('--url <address>', 'where browsers reach the server', parseText)
    .action(async ({ account, minutes, url }: LinkOptions) => {
      const address = url ?? (await configuredDashboard(context));
      await context.withStorage(async (services) => {
        const input = { account, life: minutes * 60_000 };
        const code = await createLinkForAccount(operator, input, services);
        const link = loginAddress(address, code);
        context.answer({ link, minutes }, `${link}\n`);
      });
    });
}
