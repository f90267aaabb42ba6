import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { exposedFiles, ownSecretFiles, prepareDataDirectory } from './run-server.ts';

test('the data directory is made for its owner alone; one that others may enter is left and reported', async () => {
  const path = join(temporaryFolder(), 'a', 'data');
  assert.equal(await prepareDataDirectory(path), undefined);
  assert.equal(statSync(path).mode & 0o777, 0o700);
  assert.equal(await prepareDataDirectory(path), undefined);
  chmodSync(path, 0o755);
  assert.match((await prepareDataDirectory(path)) ?? '', /chmod 700/);
  assert.equal(statSync(path).mode & 0o777, 0o755);
});

test('files with secrets that everybody may read are named, others and missing ones are not', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'data'));
  const database = join(folder, 'headgate.db');
  const key = join(folder, 'data', 'master.key');
  for (const file of [database, key]) writeFileSync(file, 'secret', { mode: 0o600 });
  const own = ownSecretFiles(join(folder, 'data'), database);
  assert.deepEqual(exposedFiles(own), []);
  chmodSync(key, 0o640);
  assert.deepEqual(exposedFiles(own), [], 'a group is chosen on purpose, as by mounted secrets');
  chmodSync(key, 0o644);
  chmodSync(database, 0o606);
  assert.deepEqual(
    exposedFiles(own).map((warning) => warning.split(':')[0]),
    [key, database],
  );
});
