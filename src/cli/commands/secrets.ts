import type { Command } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';

/** `secrets rotate`: works while servers run; they find the new master key by themselves. */
export function addSecretCommands(program: Command, context: CommandContext): void {
  program
    .command('secrets')
    .description('stored credentials')
    .command('rotate')
    .description('encrypt all stored credentials under a new master key')
    .action(() =>
      context.withStorage(async (storage, config) => {
        const some = await storage.credentials.sealedUnderOthers('', 1);
        const tools = await context.surroundings.openCredentials(config, storage);
        const { rotated, masterKeyId } = await tools.rotate().catch((error: unknown) => {
          throw new CommandFailure(error instanceof Error ? error.message : 'the rotation failed');
        });
        context.answer(
          { rotated, master_key_id: masterKeyId },
          some.length === 0
            ? 'No stored credentials: nothing to encrypt anew.\n'
            : `${rotated} credential(s) encrypted under master key ${masterKeyId}; older keys open nothing any more.\n`,
        );
      }),
    );
}
