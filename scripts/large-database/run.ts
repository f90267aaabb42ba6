import { readOptions } from './options.ts';
import { formatReport } from './report.ts';
import { runLargeDatabase } from './run-large-database.ts';

/**
 * `node scripts/large-database/run.ts --rows N [--details full|short] [--samples N] [--only TEXT] [--directory DIR]
 * [--keep]`: fills a separate PostgreSQL with N calls of a year and times every query of Headgate on them
 * (docs/postgresql.md).
 */
const report = await runLargeDatabase(readOptions(process.argv.slice(2)), (line) =>
  process.stderr.write(`${new Date().toISOString()} ${line}\n`),
);
process.stdout.write(formatReport(report));
process.exitCode = report.figures.some(({ failure }) => failure !== undefined) ? 1 : 0;
