import assert from 'node:assert/strict';
import { mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { MasterKey } from './master-key.ts';
import { MasterKeyFile } from './master-key-file.ts';

const ids = (keys: readonly MasterKey[]) => keys.map(({ id }) => id);

test('the first read makes one key, for all who read at the same time, and leaves nothing else behind', async () => {
  const folder = join(temporaryFolder(), 'data', 'headgate');
  const read = await Promise.all(Array.from({ length: 8 }, () => new MasterKeyFile(folder).read()));
  assert.equal(new Set(read.flatMap(ids)).size, 1);
  assert.deepEqual(await readdir(folder), ['master.key']);
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  assert.equal((await stat(join(folder, 'master.key'))).mode & 0o777, 0o600);
});

test('a change replaces the file as a whole, readable by its owner only, whatever a crash left behind', async () => {
  const folder = temporaryFolder();
  const file = new MasterKeyFile(folder);
  assert.equal(await file.version(), '');
  const [first] = await file.read();
  const version = await file.version();
  assert.notEqual(version, '');
  assert.equal(await file.version(), version);
  await writeFile(join(folder, 'master.key.new'), 'half a ke', { mode: 0o644 });
  const fresh = MasterKey.create();
  await file.change((keys) => [fresh, ...keys]);
  assert.deepEqual(ids(await file.read()), [fresh.id, first?.id]);
  assert.notEqual(await file.version(), version);
  assert.equal(
    await readFile(join(folder, 'master.key'), 'utf8'),
    `${fresh.toBase64()}\n${first?.toBase64()}\n`,
  );
  assert.equal((await stat(join(folder, 'master.key'))).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(folder), ['master.key']);
});

test('a change that fails leaves the keys as they were, and the file to others', async () => {
  const folder = temporaryFolder();
  const file = new MasterKeyFile(folder);
  const before = ids(await file.read());
  const failing = file.change(() => {
    throw new Error('no such key');
  });
  await assert.rejects(failing, /no such key/);
  assert.deepEqual(ids(await file.read()), before);
  assert.deepEqual(await readdir(folder), ['master.key']);
});

test('changes at the same moment are made one after the other', async () => {
  const folder = temporaryFolder();
  const file = new MasterKeyFile(folder);
  await file.read();
  const fresh = Array.from({ length: 5 }, () => MasterKey.create());
  await Promise.all(fresh.map((key) => new MasterKeyFile(folder).change((keys) => [key, ...keys])));
  assert.equal(new Set(ids(await file.read())).size, 6);
});

test('a lock that nobody gives back is waited for three seconds, and named', async () => {
  const folder = temporaryFolder();
  const file = new MasterKeyFile(folder);
  await file.read();
  await writeFile(join(folder, 'master.key.lock'), '');
  const began = performance.now();
  await assert.rejects(
    file.change((keys) => keys),
    /master\.key\.lock" is there: another command changes the master keys/,
  );
  assert.ok(performance.now() - began >= 2_900);
  assert.ok((await readdir(folder)).includes('master.key.lock'), 'the lock of another is not removed');
});

test('trouble with the folder or the file is reported as what it is', async () => {
  const folder = temporaryFolder();
  const missing = new MasterKeyFile(join(folder, 'missing'));
  await assert.rejects(
    missing.change((keys) => keys),
    { code: 'ENOENT' },
  );
  await mkdir(join(folder, 'master.key'));
  await assert.rejects(new MasterKeyFile(folder).read(), { code: 'EISDIR' });
  await writeFile(join(folder, 'file'), '');
  await assert.rejects(new MasterKeyFile(join(folder, 'file')).version(), { code: 'ENOTDIR' });
});

test('the file and its folder are on the disk before a new key is used', async (t) => {
  const folder = temporaryFolder();
  const handle = await open(folder, 'r');
  const { mock } = t.mock.method(Object.getPrototypeOf(handle) as typeof handle, 'sync');
  await handle.close();
  const file = new MasterKeyFile(folder);
  await file.read();
  assert.equal(mock.callCount(), 2);
  await file.change((keys) => [MasterKey.create(), ...keys]);
  assert.equal(mock.callCount(), 4);
  await file.read();
  assert.equal(mock.callCount(), 4);
});

test('a file that was edited in its place is another version', async () => {
  const folder = temporaryFolder();
  const file = new MasterKeyFile(folder);
  await file.read();
  const path = join(folder, 'master.key');
  const version = await file.version();
  const { ino } = await stat(path);
  await writeFile(path, MasterKey.create().toBase64());
  assert.equal((await stat(path)).ino, ino);
  assert.notEqual(await file.version(), version);
});
