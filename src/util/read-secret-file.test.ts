import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { readSecretFile } from './read-secret-file.ts';

test('a regular file is read, through links too', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'key');
  writeFileSync(file, 'sk-1\n');
  symlinkSync(file, join(folder, 'link'));
  assert.equal(readSecretFile(file), 'sk-1\n');
  assert.equal(readSecretFile(join(folder, 'link')), 'sk-1\n');
  writeFileSync(file, 'a'.repeat(64 * 1024));
  assert.equal(readSecretFile(file).length, 64 * 1024);
});

test('devices, pipes, folders and large files are refused at once', () => {
  const folder = temporaryFolder();
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'large'), 'a'.repeat(64 * 1024 + 1));
  symlinkSync('/dev/zero', join(folder, 'link'));
  for (const name of ['pipe', 'folder', 'link']) {
    assert.throws(() => readSecretFile(join(folder, name)), /not a regular file/, name);
  }
  assert.throws(() => readSecretFile('/dev/zero'), /not a regular file/);
  assert.throws(() => readSecretFile(join(folder, 'large')), /larger than 65536 bytes/);
  assert.throws(() => readSecretFile(join(folder, 'missing')), { code: 'ENOENT' });
});
