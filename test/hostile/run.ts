import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Attack } from './attack.ts';
import { attacks } from './attacks.ts';
import { leaveServerCore } from './end-with-us.ts';
import { type CaseOptions, type CaseResult, faultsOf, onlySlow, runCase } from './run-case.ts';
import { tableOf, writeTable } from './table.ts';

const help = `npm run hostile -- [options]
  --only NAME,NAME   these attacks only: ${attacks.map(({ name }) => name).join(', ')}
  --seconds N        of each attack; default 20
  --seed N           default 1
  --target-dir DIR   attacks the server of another checkout
  --again N          a case that only made others wait too long is tried up to N more times; default 0
  --report-waits     a case that only made others wait too long is reported and does not fail the run
  --write            writes the table into docs/resilience.md
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    again: { type: 'string', default: '0' },
    'report-waits': { type: 'boolean', default: false },
    'target-dir': { type: 'string', default: resolve(import.meta.dirname, '../..') },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(help);
else await main();

async function main(): Promise<void> {
  leaveServerCore();
  const names = values.only?.split(',');
  const chosen = attacks.filter(({ name }) => names?.includes(name) ?? true);
  const options = {
    checkout: resolve(values['target-dir']),
    seconds: Number(values.seconds),
    seed: Number(values.seed),
  };
  const results: CaseResult[] = [];
  for (const attack of chosen) {
    const result = await runUntilClear(attack, options, Number(values.again));
    results.push(result);
    const faults = faultsOf(result);
    process.stderr.write(tableOf([result]).split('\n').slice(2).join('\n'));
    process.stderr.write(`${attack.name}: ${faults.length === 0 ? 'withstood' : faults.join(' | ')}\n`);
    process.stderr.write(`  ${JSON.stringify(result.counts)}, packets sent again: ${result.sentAgain}\n`);
    if (!result.survived) process.stderr.write(`${result.log.slice(-600)}\n`);
    if (faults.length > 0 && !(values['report-waits'] && onlySlow(result))) process.exitCode = 1;
  }
  process.stdout.write(tableOf(results));
  if (values.write) writeTable(results, options);
}

/** Other work on the machine also makes requests wait, but hardly at the same case again. Every other fault stands. */
async function runUntilClear(attack: Attack, options: CaseOptions, again: number): Promise<CaseResult> {
  const result = await runCase(attack, options);
  if (again === 0 || !onlySlow(result)) return result;
  process.stderr.write(`${attack.name}: ${faultsOf(result).join(' | ')}; tried again\n`);
  return runUntilClear(attack, options, again - 1);
}
