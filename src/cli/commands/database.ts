import type { Command } from 'commander';
import type { CommandContext } from '../context.ts';
import { formatPairs } from '../format-table.ts';

/** `db migrate` and `db status`. */
export function addDatabaseCommands(program: Command, context: CommandContext): void {
  const database = program.command('db').description('the database schema');
  database
    .command('migrate')
    .description('bring the schema up to date')
    .action(async () => {
      const config = await context.loadForBooks();
      await context.withOpenStorage(config, async (storage) => {
        const applied = await storage.migrate();
        const text = applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}`;
        context.answer({ applied }, `${text}\n`);
      });
    });
  database
    .command('status')
    .description('show which migrations the database has had')
    .action(async () => {
      const config = await context.loadForBooks();
      await context.withOpenStorage(config, async (storage) => {
        const { applied, pending } = await storage.migrationStatus();
        // Whether it takes charges cannot be asked before there are tables.
        if (applied.length > 0) await storage.ping();
        context.answer(
          { reachable: true, applied, pending },
          formatPairs([
            ['Reachable', 'yes'],
            ['Applied', applied.join(', ') || 'none'],
            ['Pending', pending.join(', ') || 'none'],
          ]),
        );
      });
    });
}
