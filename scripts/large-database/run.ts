import { readOptions } from './options.ts';
import { formatReport } from './report.ts';
import { runLargeDatabase } from './run-large-database.ts';
import { runLargeSqlite } from './run-large-sqlite.ts';

/**
 * `node scripts/large-database/run.ts --rows N [--engine postgres|sqlite] [--details full|short] [--samples N]
 * [--only TEXT] [--directory DIR] [--keep]`: fills a separate PostgreSQL or a SQLite file with N calls of a year and times
 * every query of Headgate on them (docs/postgresql.md).
 */
const options = readOptions(process.argv.slice(2));
const run = options.engine === 'sqlite' ? runLargeSqlite : runLargeDatabase;
const report = await run(options, (line) => process.stderr.write(`${new Date().toISOString()} ${line}\n`));
process.stdout.write(formatReport(report));
process.exitCode = report.figures.some(({ failure }) => failure !== undefined) ? 1 : 0;
