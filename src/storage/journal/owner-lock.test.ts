import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { lockOwner, newOwner, ownerOfLock } from './owner-lock.ts';

test('an owner is locked while it lives, in its own process too, and free once it let go', async () => {
  const directory = temporaryFolder();
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
  const directory = temporaryFolder();
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

test('a file that cannot be locked is said so, and is not taken for one that somebody has', async () => {
  const directory = temporaryFolder();
  await writeFile(join(directory, 'books.db.lock'), 'held by another program, '.repeat(100));
  assert.throws(
    () => lockOwner(directory, 'books.db'),
    /books\.db\.lock" cannot be locked \(file is not a database\)/,
  );
  assert.throws(() => lockOwner(join(directory, 'missing'), 'books.db'), /cannot be locked \(unable to open/);
});
