import assert from 'node:assert/strict';
import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { HeadgateError } from '../../src/core/errors.ts';
import { FileDirectory } from '../../src/files/file-directory.ts';
import { StoredFiles } from '../../src/files/stored-files.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const text = (said: string) => ({ filename: 'a.txt', mimeType: 'text/plain', contents: Buffer.from(said) });

/** Files beside a database in a file, as a server has them. */
async function start(t: TestContext) {
  const folder = temporaryFolder();
  const storage = await openStorage(`sqlite:${join(folder, 'h.db')}`);
  await storage.migrate();
  const account = newAccount('Test', 'invoice', 0);
  await storage.accounts.create(account);
  const clock = { time: 1_000_000 };
  const directory = join(folder, 'files');
  const files = new StoredFiles({
    store: storage.files,
    directory: new FileDirectory(directory),
    clock: { now: () => clock.time },
    room: () => ({ files: 4, bytes: 30_000 }),
    onFailure: (error) => {
      throw error;
    },
  });
  t.after(() => files.close());
  t.after(() => storage.close());
  const owner = { accountId: account.id, workspaceId: account.defaultWorkspaceId };
  const onDisk = async () => {
    const scopes = await readdir(directory).catch(() => []);
    const names = await Promise.all(scopes.map((scope) => readdir(join(directory, scope))));
    return names.flat();
  };
  return { files, owner, clock, onDisk, directory };
}

const refused = (code: string) => (error: unknown) => error instanceof HeadgateError && error.code === code;

test('equal contents are on the disk once, and go with the last file that has them', async (t) => {
  const { files, owner, onDisk } = await start(t);
  const [one, two] = await Promise.all([files.add(owner, text('same')), files.add(owner, text('same'))]);
  assert.deepEqual(await onDisk(), [one.hash]);
  await files.remove(owner, one.id);
  assert.equal(Buffer.from((await files.read(owner, two.id)).contents).toString(), 'same');
  await files.remove(owner, two.id);
  assert.deepEqual(await onDisk(), []);
  await assert.rejects(files.read(owner, two.id), refused('not_found'));
});

test('contents that are deleted and stored at the same moment stay readable', async (t) => {
  const { files, owner } = await start(t);
  for (let round = 0; round < 20; round += 1) {
    const old = await files.add(owner, text('same'));
    const [, fresh] = await Promise.all([files.remove(owner, old.id), files.add(owner, text('same'))]);
    assert.equal(Buffer.from((await files.read(owner, fresh.id)).contents).toString(), 'same');
    await files.remove(owner, fresh.id);
  }
});

test('a file and a workspace have limits; what is refused leaves nothing behind', async (t) => {
  const { files, owner, onDisk } = await start(t);
  await assert.rejects(
    files.add(owner, text('x'.repeat(25 * 1024 * 1024 + 1))),
    refused('payload_too_large'),
  );
  await files.add(owner, text('x'.repeat(12_000)));
  await files.add(owner, text('y'.repeat(12_000)));
  await assert.rejects(files.add(owner, text('z'.repeat(12_000))), refused('payload_too_large'));
  await files.add(owner, text('x'.repeat(10)));
  await assert.rejects(files.add(owner, text('z')), refused('payload_too_large'));
  assert.equal((await onDisk()).length, 3);
});

test('no more files are stored than a workspace may have, however small', async (t) => {
  const { files, owner, onDisk } = await start(t);
  for (let count = 0; count < 4; count += 1) await files.add(owner, text(`${count}`));
  const refusal = await files.add(owner, text('4')).catch((error: unknown) => error);
  assert.ok(refusal instanceof HeadgateError && refusal.code === 'payload_too_large');
  assert.match(refusal.message, /may have 4 files; delete some/);
  assert.equal((await onDisk()).length, 4);
});

test('files whose time is over are gone at once, and cleaning removes them', async (t) => {
  const { files, owner, clock, onDisk } = await start(t);
  const { id } = await files.add(owner, { ...text('soon'), lifetime: 1000 });
  clock.time += 1000;
  await assert.rejects(files.find(owner, id), refused('not_found'));
  assert.equal((await onDisk()).length, 1);
  await files.clean();
  assert.deepEqual(await onDisk(), []);
});

test('cleaning removes what no file has once it is old, and nothing else', async (t) => {
  const { files, owner, clock, onDisk, directory } = await start(t);
  const kept = await files.add(owner, text('kept'));
  const [scope = ''] = await readdir(directory);
  for (const name of ['f'.repeat(64), 'left.part']) await writeFile(join(directory, scope, name), 'x');
  clock.time = Date.now();
  await files.clean();
  assert.equal((await onDisk()).length, 3, 'young ones may be on their way');
  for (const name of await onDisk()) await utimes(join(directory, scope, name), 1, 1);
  await files.clean();
  assert.deepEqual(await onDisk(), [kept.hash]);
});
