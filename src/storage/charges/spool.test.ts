import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { Spool, type SpoolOptions } from './spool.ts';

/** A database that accepts lines, or is away. Each line counts once, as a charge does by its id. */
class FakeDatabase {
  readonly lines = new Set<string>();
  failure: string | undefined;
  /** Thrown once, after the lines were booked. */
  lostAnswer: string | undefined;
  calls = 0;

  async book(lines: readonly string[]): Promise<void> {
    this.calls += 1;
    if (this.failure !== undefined) throw new Error(this.failure);
    for (const line of lines) this.lines.add(line);
    const lost = this.lostAnswer;
    this.lostAnswer = undefined;
    if (lost !== undefined) throw new Error(lost);
  }
}

function open(
  t: TestContext,
  directory: string,
  database: FakeDatabase,
  options: Partial<SpoolOptions> = {},
) {
  const book = (lines: readonly string[]) => database.book(lines);
  const spool = new Spool({ directory, book, retryDelay: 20, reserveRoom: false, ...options });
  t.after(() => spool.close());
  return spool;
}

const spools = async (directory: string) =>
  (await readdir(directory)).filter((name) => name.endsWith('.spool'));

test('charges wait while the database is away, and are booked in order and forgotten when it is back', async (t) => {
  const directory = join(temporaryFolder(), 'charges');
  const database = new FakeDatabase();
  const spool = open(t, directory, database);
  await spool.catchUp();
  assert.equal(database.calls, 0);
  database.failure = 'away';
  await Promise.all([spool.append(['a\n', 'b\n']), spool.append(['c\n'])]);
  assert.equal(spool.waiting, 3);
  assert.equal((await spools(directory)).length, 1);
  await assert.rejects(spool.catchUp(), /away/);
  assert.ok(spool.failure instanceof Error);
  database.failure = undefined;
  await spool.catchUp();
  assert.deepEqual([...database.lines], ['a\n', 'b\n', 'c\n']);
  assert.deepEqual([spool.waiting, spool.failure], [0, undefined]);
  assert.deepEqual(await readdir(directory), []);
  await spool.append(['d\n']);
  await eventually('it is booked by itself', () => database.lines.has('d\n'));
});

test('a batch whose answer was lost is booked again, which changes nothing', async (t) => {
  const directory = temporaryFolder();
  const database = new FakeDatabase();
  const spool = open(t, directory, database, { retryDelay: 1_000_000 });
  await spool.append(['a\n']);
  database.lostAnswer = 'connection lost';
  await assert.rejects(spool.catchUp(), /connection lost/);
  assert.equal(spool.waiting, 1);
  await spool.catchUp();
  assert.deepEqual([[...database.lines], database.calls], [['a\n'], 2]);
});

test('what a killed process left is booked once; what a living one has is left alone', async (t) => {
  const directory = temporaryFolder();
  const database = new FakeDatabase();
  const child = await startSpooler(t, directory);
  const spool = open(t, directory, database);
  await spool.catchUp();
  assert.equal(database.calls, 0);
  assert.equal((await spools(directory)).length, 1);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await eventually('its charges', async () => {
    await spool.catchUp();
    return database.calls > 0;
  });
  assert.deepEqual([...database.lines], ['left 0\n', 'left 1\n', 'left 2\n']);
  assert.deepEqual(await readdir(directory), []);
});

/** Starts a process that spools three charges and stays. */
async function startSpooler(t: TestContext, directory: string) {
  const script = `const { Spool } = await import(process.argv[2]);
    const book = async () => { throw new Error('away'); };
    const spool = new Spool({ directory: process.argv[3], book, retryDelay: 10, reserveRoom: false });
    for (let count = 0; count < 3; count += 1) await spool.append(['left ' + count + '\\n']);
    console.log('spooled');
    setInterval(() => spool, 1000);`;
  const module = new URL('./spool.ts', import.meta.url).href;
  const file = join(temporaryFolder(), 'spooler.mjs');
  await writeFile(file, script);
  const child = spawn(process.execPath, [file, module, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

test('closing while the database is away leaves the charges to the next process', async (t) => {
  const directory = temporaryFolder();
  const database = new FakeDatabase();
  database.failure = 'away';
  const spool = open(t, directory, database);
  await spool.append(['a\n']);
  await spool.close();
  assert.equal(spool.waiting, 1);
  database.failure = undefined;
  await Promise.all([open(t, directory, database).catchUp(), open(t, directory, database).catchUp()]);
  assert.deepEqual([...database.lines], ['a\n']);
  assert.deepEqual(await spools(directory), []);
});

test('a file that cannot be read stops those who look for charges, with the remedy', async (t) => {
  const directory = temporaryFolder();
  await writeFile(join(directory, '0123.spool'), 'no database at all, '.repeat(100));
  const spool = open(t, directory, new FakeDatabase());
  await assert.rejects(spool.catchUp(), /0123\.spool" cannot be read .*keep a copy and move it away/);
});

test('where there is no place for charges that is known ahead, and none is promised', async (t) => {
  const directory = join(temporaryFolder(), 'charges');
  await writeFile(directory, 'in the way of the directory');
  const spool = open(t, directory, new FakeDatabase(), { reserveRoom: true });
  await eventually('it is known', () => spool.roomFailure !== undefined);
  await assert.rejects(spool.append(['a\n']), { code: 'service_unavailable' });
  assert.equal(spool.waiting, 0);
});
