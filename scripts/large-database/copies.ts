/**
 * `node scripts/large-database/copies.ts --directory DIR`: backs up, restores and copies to PostgreSQL the database that
 * `run.ts --engine sqlite --keep --directory DIR` made, while a server on it answers requests. Prints what each took, what
 * requests met meanwhile, and fails where counts or books differ.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../../test/support/free-port.ts';
import { startPostgres } from '../../test/support/start-postgres.ts';

const { values } = parseArgs({
  options: { directory: { type: 'string' }, clients: { type: 'string', default: '4' } },
});
if (values.directory === undefined) throw new RangeError('--directory: where headgate.db is');
const directory = resolve(values.directory);
const main = join(import.meta.dirname, '../../src/main.ts');
const port = await freePort();
const environment = {
  PATH: process.env.PATH,
  HEADGATE_DATA_DIR: directory,
  HEADGATE_PORT: String(port),
  HEADGATE_LOG_LEVEL: 'error',
};

/** Runs a command and gives its answer. */
async function headgate(argv: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main, ...argv, '--json'], {
    cwd: directory,
    env: { ...environment, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 0, `${argv.join(' ')}: ${out}`);
  return JSON.parse(out);
}

/** Calls in a loop, noting how long each took; returns what stops it. */
function keepCalling(key: string) {
  let isOver = false;
  const call = async () => {
    while (!isOver) {
      const begin = performance.now();
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'sandbox/echo', input: 'Hello' }),
      });
      assert.equal(response.status, 200, await response.text());
      times.push(performance.now() - begin);
    }
  };
  const running = Promise.all(Array.from({ length: Number(values.clients) }, call));
  return async () => {
    isOver = true;
    await running;
  };
}

const times: number[] = [];

async function measured<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const first = times.length;
  const begin = performance.now();
  const result = await work();
  const seconds = (performance.now() - begin) / 1000;
  const during = times.slice(first).toSorted((one, other) => one - other);
  const at = (part: number) => (during[Math.floor(during.length * part)] ?? 0).toFixed(0);
  console.log(
    `${name}: ${seconds.toFixed(1)} s; ${during.length} requests meanwhile, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(0.9999)} ms`,
  );
  return result;
}

const postgres = await startPostgres();
const backup = join(directory, 'backup.db');
const restored = join(directory, 'restored');
rmSync(backup, { force: true });
rmSync(restored, { recursive: true, force: true });
await headgate(['db', 'migrate']);
const account = await headgate([
  'accounts',
  'create',
  '--name',
  `Copies ${Date.now()}`,
  '--billing',
  'invoice',
]);
const server = spawn(process.execPath, [main, 'serve'], {
  cwd: directory,
  env: environment,
  stdio: ['ignore', 'ignore', 'inherit'],
});
try {
  const made = await headgate(['keys', 'create', '--account', account.id, '--name', 'copies']);
  await untilReady();
  const stop = keepCalling(made.key);
  await measured('nothing else for ten seconds', () => new Promise((done) => setTimeout(done, 10_000)));
  const copied = await measured('db backup', () => headgate(['db', 'backup', backup]));
  const { tables, differences } = await measured('db copy', async () =>
    headgate(['db', 'copy', '--to', postgres.url(await postgres.createDatabase())]),
  );
  await stop();
  for (const { table, from, to } of tables) assert.equal(to, from, table);
  assert.deepEqual(differences, { from: [], to: [] });
  const elsewhere = { HEADGATE_DATA_DIR: restored };
  const back = await measured('db restore', () => headgate(['db', 'restore', backup], elsewhere));
  assert.deepEqual(back.tables, copied.tables);
  assert.deepEqual(
    (await measured('ledger verify of the backup', () => headgate(['ledger', 'verify'], elsewhere)))
      .differences,
    [],
  );
  assert.deepEqual((await headgate(['ledger', 'verify'])).differences, []);
  console.log(
    `Backup: ${copied.tables.generations} calls. Copy: ${tables.find((one: { table: string }) => one.table === 'generations').to} calls. Counts equal, books right.`,
  );
} finally {
  server.kill('SIGTERM');
  await once(server, 'close');
  await postgres.stop();
}

async function untilReady(): Promise<void> {
  for (let left = 100; left > 0; left -= 1) {
    const isReady = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isReady) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error('the server does not start');
}
