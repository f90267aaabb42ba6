import type { Command } from 'commander';
import type { Flags } from '../../config/apply-flags.ts';
import type { CommandContext } from '../context.ts';

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
