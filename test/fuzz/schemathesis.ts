import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startTarget, type TargetServer } from '../hostile/target-server.ts';
import { startUnused } from './unused-provider.ts';

const help = `npm run schemathesis -- [options]
  --examples N     random cases an operation; default 20
  --phases P,P     of schemathesis; default coverage,fuzzing, where coverage is some 50,000 cases
  --seed N         default 1
`;

const settings = `[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 503]
`;

const { values } = parseArgs({
  options: {
    examples: { type: 'string', default: '20' },
    phases: { type: 'string', default: 'coverage,fuzzing' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(help);
else await main();

/**
 * Lets schemathesis ask everything that `/openapi.json` describes, once with an inference key and once with a management
 * key, in what fits the document and what does not. Fails on a status of a server error other than 503, which refuses
 * what no endpoint can serve (docs/spec/errors.md), and on money that does not add up.
 */
async function main(): Promise<void> {
  const program = join(dirname(installed()), 'schemathesis');
  const unused = await startUnused();
  const folder = mkdtempSync(join(tmpdir(), 'headgate-schemathesis-'));
  try {
    await using target = await startTarget(resolve(import.meta.dirname, '../..'), {
      hostile: unused.port,
      calm: unused.port,
    });
    writeFileSync(join(folder, 'schemathesis.toml'), settings);
    for (const key of [target.keys.attacker, target.keys.management]) {
      const code = await ask(program, folder, target, key);
      if (code !== 0) process.exitCode = 1;
    }
    if (!target.alive) throw new Error(`the server ended:\n${target.log()}`);
    process.stdout.write(await target.command('ledger', 'verify'));
  } finally {
    unused.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The interpreter of an environment that has it. */
function installed(): string {
  const script = resolve(import.meta.dirname, '../../scripts/python-environment.sh');
  return execFileSync(script, ['schemathesis', 'schemathesis==4.32.5'], { encoding: 'utf8' }).trim();
}

async function ask(program: string, folder: string, { port }: TargetServer, key: string): Promise<number> {
  const args = [
    'run',
    `http://127.0.0.1:${port}/openapi.json`,
    ...['--checks', 'not_a_server_error', '--phases', values.phases],
    ...['--max-examples', values.examples, '--seed', values.seed],
    ...['--header', `Authorization:Bearer ${key}`],
    // They are about the generator: how long it takes, and how much it throws away.
    // A stream of what goes on has no end.
    ...['--exclude-path', '/live'],
    ...['--suppress-health-check', 'all'],
    ...['--no-shrink', '--continue-on-failure', '--warnings', 'off', '--request-timeout', '60'],
  ];
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(child, 'close');
  return Number(code ?? 1);
}
