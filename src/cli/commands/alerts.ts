import type { Command } from 'commander';
import { testAlert } from '../../alerts/raised-alerts.ts';
import { sendAlert } from '../../alerts/send-alert.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';

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
