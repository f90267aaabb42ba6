import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Config } from '../../config/config.ts';
import type { DatabaseCopy, RowCounts } from '../../ports/database-copies.ts';
import type { LedgerDifference } from '../../ports/ledger.ts';
import type { Storage } from '../../ports/storage.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { type Column, formatPairs, formatTable } from '../format-table.ts';
import { parseText } from '../option-values.ts';

/** `db migrate`, `db status`, `db backup`, `db restore` and `db copy`. */
export function addDatabaseCommands(program: Command, context: CommandContext): void {
  const database = program.command('db').description('the database');
  addCopyCommands(database, context);
  database
    .command('migrate')
    .description('bring the schema up to date')
    .action(async () => {
      const config = await context.loadForBooks();
      const migrate = async (storage: Storage) => {
        const applied = await storage.migrate();
        const text = applied.length === 0 ? 'The schema is up to date' : `Applied: ${applied.join(', ')}`;
        const database = databaseOf(config);
        context.answer({ database, applied }, `${text} (${database}).\n`);
      };
      await context.withOpenStorage(config, migrate, false);
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
          { reachable: true, database: databaseOf(config), applied, pending },
          formatPairs([
            ['Database', databaseOf(config)],
            ['Reachable', 'yes'],
            ['Applied', applied.join(', ') || 'none'],
            ['Pending', pending.join(', ') || 'none'],
          ]),
        );
      });
    });
}

/** Which database a configuration names, without its password. */
function databaseOf({ database: { url } }: Config): string {
  const file = /^sqlite:(.+)$/.exec(url)?.[1];
  if (file !== undefined) return file;
  const address = URL.parse(url);
  return address === null ? 'PostgreSQL' : `PostgreSQL, ${address.host}${address.pathname}`;
}

function addCopyCommands(database: Command, context: CommandContext): void {
  const { environment } = context;
  database
    .command('backup')
    .description('copy a SQLite database into a new file, while servers run')
    .argument('<file>', 'the file to make')
    .action(async (name: string) => {
      const config = await context.loadForBooks();
      const file = resolve(environment.cwd, name);
      const tools = await environment.openDatabaseTools();
      const counts = await tools.backup(config, file);
      const notIn = `Not in it: the master key and contents of files (${config.dataDirectory}), and the configuration.`;
      context.answer(
        { file, tables: Object.fromEntries(counts) },
        `${databaseOf(config)} is copied to ${file}: ${summary(counts)}.\n${notIn}\n`,
      );
    });
  database
    .command('restore')
    .description('put a backup in the place of the SQLite database, which is kept; no server may run')
    .argument('<file>', 'a file that "db backup" made')
    .action(async (name: string) => {
      const config = await context.loadForBooks();
      const file = resolve(environment.cwd, name);
      const tools = await environment.openDatabaseTools();
      const { counts, before } = await tools.restore(config, file, environment.clock.now());
      const kept = before === undefined ? '' : `The database before is ${before}.\n`;
      context.answer(
        { database: databaseOf(config), tables: Object.fromEntries(counts), before: before ?? null },
        `${databaseOf(config)} is ${file} now: ${summary(counts)}.\n${kept}`,
      );
    });
  database
    .command('copy')
    .description('copy a SQLite database into an empty PostgreSQL database, and verify the books of both')
    .addOption(
      new Option('--to <url>', 'postgres://USER:PASSWORD@HOST/DATABASE')
        .argParser(parseText)
        .makeOptionMandatory(),
    )
    .action(({ to }: { readonly to: string }) => copy(context, to));
}

async function copy(context: CommandContext, url: string): Promise<void> {
  // Makes sure that the schema is the newest, and books what processes left behind that died.
  await context.withStorage(async () => undefined);
  const config = await context.loadForBooks();
  const tools = await context.environment.openDatabaseTools();
  const { tables, differences, lostFiles } = await tools.copy(config, url);
  const { from, to } = differences;
  const unequal = tables.filter((table) => table.from !== table.to).map(({ table }) => table);
  const verdict =
    `\nBooks of the old database: ${verdictOf(from)}. Books of the new one: ${verdictOf(to)}.\n` +
    (lostFiles.length === 0 ? '' : `Without contents, which were not there: ${lostFiles.join(', ')}.\n`) +
    `Next: set database.url, and take the master key along (${config.dataDirectory}).\n`;
  context.answer(
    {
      tables,
      differences: { from: from.map(({ subject }) => subject), to: to.map(({ subject }) => subject) },
      lost_files: lostFiles,
    },
    formatTable(tableColumns, rowsOf(tables)) + verdict,
  );
  if (unequal.length > 0) throw new CommandFailure(`the copy lacks rows of ${unequal.join(', ')}`);
  if (from.length + to.length > 0)
    throw new CommandFailure('the books differ; "headgate ledger verify" names where');
}

const tableColumns: readonly Column[] = [
  { heading: 'TABLE' },
  { heading: 'ROWS', align: 'right' },
  { heading: 'COPIED', align: 'right' },
];

function rowsOf(tables: DatabaseCopy['tables']): readonly (readonly string[])[] {
  return tables
    .filter(({ from, to }) => from + to > 0)
    .map(({ table, from, to }) => [table, String(from), String(to)]);
}

function verdictOf(differences: readonly LedgerDifference[]): string {
  return differences.length === 0 ? 'no difference' : `${differences.length} difference(s)`;
}

function summary(counts: RowCounts): string {
  const of = (table: string) => counts.get(table) ?? 0;
  return `${of('accounts')} account(s), ${of('api_keys')} key(s), ${of('generations')} call(s)`;
}
