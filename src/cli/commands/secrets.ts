import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';

/** `secrets rotate`: this version stores no provider credentials, so there is nothing to encrypt anew. */
export function addSecretCommands(program: Command, context: CommandContext): void {
  program
    .command('secrets')
    .description('stored credentials')
    .command('rotate')
    .description('encrypt all stored credentials under a new master key')
    .action(async () => {
      await context.loadConfig();
      context.answer({ rotated: 0 }, 'No stored credentials: nothing to encrypt anew.\n');
    });
}
