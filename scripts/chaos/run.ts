import { isClean } from './audit.ts';
import { readOptions } from './options.ts';
import { formatReport } from './report.ts';
import { runChaos } from './run-chaos.ts';

/**
 * `node scripts/chaos/run.ts --minutes N --seed S [--clients N] [--on-failure reject|local] [--sentinels] [--json]`:
 * runs three processes on one PostgreSQL and one Redis, or a Redis behind sentinels, under load, while processes are
 * killed, engines restarted and networks cut (docs/resilience.md). Prints the results; exits with 1 when a promise
 * was broken.
 */
const { json, ...options } = readOptions(process.argv.slice(2));
const report = await runChaos(options, (line) => process.stderr.write(`${line}\n`));
process.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : formatReport(report));
process.exitCode = isClean(report.findings) ? 0 : 1;
