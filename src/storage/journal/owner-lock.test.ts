import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { lockOwner, newOwner, ownerOfLock } from './owner-lock.ts';

async function newDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

test('an owner is locked while it lives, in its own process too, and free once it let go', async (t) => {
  const directory = await newDirectory(t);
  const first = newOwner(directory);
  const second = newOwner(directory);
  assert.notEqual(first.owner, second.owner);
  assert.equal(lockOwner(directory, first.owner), undefined);
  first.release();
  const taken = lockOwner(directory, first.owner);
  assert.equal(lockOwner(directory, first.owner), undefined);
  taken?.remove();
  second.remove();
  assert.deepEqual(await readdir(directory), []);
});

test('a killed owner lets go', async (t) => {
  const directory = await newDirectory(t);
  const module = new URL('./owner-lock.ts', import.meta.url).href;
  const script = `const { newOwner } = await import('${module}');
    // Held, so that no garbage collection lets go before the kill does.
    globalThis.held = newOwner(process.argv[1]);
    console.log(globalThis.held.owner);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const owner = String((await once(child.stdout, 'data'))[0]).trim();
  assert.deepEqual((await readdir(directory)).map(ownerOfLock), [owner]);
  assert.equal(lockOwner(directory, owner), undefined);
  child.kill('SIGKILL');
  await exited;
  const lock = lockOwner(directory, owner);
  assert.ok(lock !== undefined);
  lock.remove();
});

test('a file that cannot be locked is said so, and is not taken for one that somebody has', async (t) => {
  const directory = await newDirectory(t);
  await writeFile(join(directory, 'books.db.lock'), 'held by another program, '.repeat(100));
  assert.throws(
    () => lockOwner(directory, 'books.db'),
    /books\.db\.lock" cannot be locked \(file is not a database\)/,
  );
  assert.throws(() => lockOwner(join(directory, 'missing'), 'books.db'), /cannot be locked \(unable to open/);
});
