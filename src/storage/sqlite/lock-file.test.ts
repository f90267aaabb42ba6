import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { lockFile } from './lock-file.ts';

test('a file is locked once at a time, also within a process', () => {
  const path = join(temporaryFolder(), 'books.lock');
  const release = lockFile(path);
  assert.ok(release !== undefined);
  assert.equal(lockFile(path), undefined);
  release();
  const again = lockFile(path);
  assert.ok(again !== undefined);
  again();
});

test('a killed process releases its lock', async (t) => {
  const path = join(temporaryFolder(), 'books.lock');
  const script = `const { lockFile } = await import(${JSON.stringify(new URL('./lock-file.ts', import.meta.url).href)});
    // Kept, because a garbage collection may release it.
    globalThis.release = lockFile(process.argv[1]);
    console.log('locked');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  assert.equal(lockFile(path), undefined);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const release = lockFile(path);
  assert.ok(release !== undefined);
  release();
});

test('a file that cannot be locked is an error, not a lock of another process', async () => {
  const directory = temporaryFolder();
  const path = join(directory, 'books.lock');
  await writeFile(path, 'of another program, '.repeat(100));
  assert.throws(() => lockFile(path), /books\.lock" cannot be locked \(file is not a database\)/);
  assert.throws(() => lockFile(join(directory, 'missing', 'a.lock')), /cannot be locked \(unable to open/);
});
