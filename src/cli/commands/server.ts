import type { Command } from 'commander';
import { testAlert } from '../../alerts/raised-alerts.ts';
import { sendAlert } from '../../alerts/send-alert.ts';
import type { Flags } from '../../config/apply-flags.ts';
import { operator } from '../../management/actor.ts';
import { deleteFirstStart, firstStartFile } from '../../management/first-start-file.ts';
import { rotateSecrets } from '../../management/installation/installation.ts';
import { createLinkForAccount, loginAddress, usualLinkLife } from '../../management/sessions/sessions.ts';
import { configuredDashboard } from '../ask-server.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { parseCount, parseText } from '../option-values.ts';

/** `serve`: runs the server; its exit code is the command's. */
export function addServeCommand(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .description('run the server')
    .option('--host <host>', 'address to listen on')
    .option('--port <port>', 'port to listen on')
    .option('--workers <n>', 'processes to run on this machine')
    .action(async (flags: Flags) => {
      const { config, warnings, sources } = await context.loadConfig(flags);
      context.exitCode = await context.environment.serve(config, {
        load: context.loadOptions(flags),
        warnings,
        sources,
      });
    });
}

/** `secrets rotate`: works while servers run; they find the new master key by themselves. */
export function addSecretCommands(program: Command, context: CommandContext): void {
  program
    .command('secrets')
    .description('secrets of credentials and destinations')
    .command('rotate')
    .description('encrypt all stored secrets under a new master key')
    .action(() =>
      context.withStorage(async (services, config) => {
        const openTools = () => context.environment.openCredentials(config, services.storage);
        const { rotated, masterKeyId, hadSecrets } = await rotateSecrets(operator, openTools, services);
        context.answer(
          { rotated, master_key_id: masterKeyId },
          hadSecrets
            ? `${rotated} secret(s) encrypted under master key ${masterKeyId}; older keys open nothing any more.\n`
            : 'No stored secrets: nothing to encrypt anew.\n',
        );
      }),
    );
}

/** `first-start done`: deletes the file with the keys of the first start. */
export function addFirstStartCommand(program: Command, context: CommandContext): void {
  program
    .command('first-start')
    .description('the keys of the first start')
    .command('done')
    .description('delete their file, once you have noted the keys')
    .action(async () => {
      const { config } = await context.loadConfig();
      const deleted = await deleteFirstStart(config.dataDirectory);
      const file = firstStartFile(config.dataDirectory);
      context.answer({ deleted, file }, deleted ? `Deleted ${file}.\n` : `There is no ${file}.\n`);
    });
}

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

/** `alerts test`: posts an alert that says only that alerts arrive. */
export function addAlertCommands(program: Command, context: CommandContext): void {
  program
    .command('alerts')
    .description('alerts by webhook')
    .command('test')
    .description('post a test alert to alerts.webhook')
    .action(async () => {
      const { webhook, secret } = (await context.loadForBooks()).alerts;
      if (webhook === undefined) throw new CommandFailure('alerts.webhook is not set; set it to an address');
      const { clock } = context.environment;
      const alert = testAlert(clock.now());
      const failure = await sendAlert(alert, { webhook, secret }, clock.now());
      if (failure !== undefined) throw new CommandFailure(`the alert was not delivered: ${failure}`);
      context.answer({ delivered: true, id: alert.id }, `Delivered as ${alert.id}.\n`);
    });
}
