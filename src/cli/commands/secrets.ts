import type { Command } from 'commander';
import { operator } from '../../management/actor.ts';
import { rotateSecrets } from '../../management/installation/installation.ts';
import type { CommandContext } from '../context.ts';

/** `secrets rotate`: works while servers run; they find the new master key by themselves. */
export function addSecretCommands(program: Command, context: CommandContext): void {
  program
    .command('secrets')
    .description('stored credentials')
    .command('rotate')
    .description('encrypt all stored credentials under a new master key')
    .action(() =>
      context.withStorage(async (services, config) => {
        const openTools = () => context.environment.openCredentials(config, services.storage);
        const { rotated, masterKeyId, hadSecrets } = await rotateSecrets(operator, openTools, services);
        context.answer(
          { rotated, master_key_id: masterKeyId },
          hadSecrets
            ? `${rotated} credential(s) encrypted under master key ${masterKeyId}; older keys open nothing any more.\n`
            : 'No stored credentials: nothing to encrypt anew.\n',
        );
      }),
    );
}
