import type { Command } from 'commander';
import { deleteFirstStart, firstStartFile } from '../../management/first-start-file.ts';
import type { CommandContext } from '../context.ts';

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
