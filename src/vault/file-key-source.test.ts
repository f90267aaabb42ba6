import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { MasterKey } from '../secrets/master-key.ts';
import { MasterKeyFile } from '../secrets/master-key-file.ts';
import { ConfiguredKeySource, FileKeySource } from './open-key-source.ts';

class CountedFile extends MasterKeyFile {
  reads = 0;

  override read() {
    this.reads += 1;
    return super.read();
  }
}

function open() {
  const folder = temporaryFolder();
  const file = new CountedFile(folder);
  return { path: join(folder, 'master.key'), file, keys: new FileKeySource(file), folder };
}

test('a key that another process wrote is found; while the file stays the same it is not read again', async () => {
  const { file, keys, folder } = open();
  const first = await keys.current();
  assert.equal((await keys.find(first.id))?.toBase64(), first.toBase64());
  await keys.current();
  const before = file.reads;
  assert.equal(await keys.find('unknown'), undefined);
  assert.equal(file.reads, before);
  const { key } = await new FileKeySource(new MasterKeyFile(folder)).renew();
  assert.equal((await keys.find(key.id))?.toBase64(), key.toBase64());
  assert.equal(file.reads, before + 1);
  assert.equal(await keys.find('unknown'), undefined);
  assert.equal(file.reads, before + 1);
  assert.equal((await keys.current()).id, key.id);
});

test('a renewal puts the new key first; a retired key is found no more', async () => {
  const { keys } = open();
  const old = await keys.current();
  const { key, replaced } = await keys.renew();
  assert.deepEqual(replaced, [old.id]);
  assert.equal((await keys.current()).id, key.id);
  assert.equal((await keys.find(old.id))?.id, old.id);
  await keys.retire([old.id]);
  assert.equal(await keys.find(old.id), undefined);
  assert.equal((await keys.find(key.id))?.id, key.id);
  assert.equal((await keys.current()).id, key.id);
});

test('a file that cannot be read says why each time, until it can', async () => {
  const { path, file, keys } = open();
  await writeFile(path, 'no key');
  await assert.rejects(keys.current(), /must hold 32 bytes in base64/);
  await assert.rejects(keys.find('any'), /must hold 32 bytes in base64/);
  await assert.rejects(keys.find('any'), /must hold 32 bytes in base64/);
  assert.equal(file.reads, 3, 'a failure is not kept');
  const key = MasterKey.create();
  await writeFile(path, key.toBase64());
  assert.equal((await keys.find(key.id))?.id, key.id);
});

test('given keys: the first is current, each is found, and nothing is renewed without a newer one', async () => {
  const [fresh, old] = [MasterKey.create(), MasterKey.create()];
  const keys = new ConfiguredKeySource([fresh, old]);
  assert.equal(await keys.current(), fresh);
  assert.equal(await keys.find(old.id), old);
  assert.equal(await keys.find('unknown'), undefined);
  assert.deepEqual(await keys.renew(), { key: fresh, replaced: [old.id] });
  await assert.rejects(new ConfiguredKeySource([]).current(), /There is no master key/);
  await assert.rejects(new ConfiguredKeySource([]).renew(), /given from outside/);
  await assert.rejects(new ConfiguredKeySource([fresh]).renew(), /given from outside/);
});
