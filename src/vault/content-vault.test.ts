import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { account } from '../../test/conformance/fixtures.ts';
import type { SealedContent } from '../ports/content.ts';
import { MasterKey } from '../secrets/master-key.ts';
import { openStorage } from '../storage/open-storage.ts';
import { DayKeyVault } from './content-vault.ts';
import { ConfiguredKeySource } from './open-key-source.ts';
import { rotateMasterKey } from './rotate-master-key.ts';

const day = 86_400_000;

async function begin(t: TestContext) {
  const storage = await openStorage('sqlite::memory:');
  t.after(() => storage.close());
  await storage.migrate();
  const owner = account();
  await storage.accounts.create(owner);
  const master = MasterKey.create();
  const vaultUnder = (...keys: readonly MasterKey[]) =>
    new DayKeyVault({ keys: new ConfiguredKeySource(keys), store: storage.credentials }, storage.contents);
  const vault = vaultUnder(master);
  const seal = async (text: string, at = day, id = 'gen_1', by = vault): Promise<SealedContent> => {
    const of = { accountId: owner.id, generationId: id, at };
    const sealed = await by.seal(of, Buffer.from(text));
    return { ...of, workspaceId: null, keyHash: 'a', expiresAt: at + day, ...sealed };
  };
  return { storage, master, vault, vaultUnder, seal };
}

test('what is sealed opens for its call alone, and only as it is', async (t) => {
  const { vault, seal } = await begin(t);
  const content = await seal('what was said');
  assert.equal(String(await vault.open(content)), 'what was said');
  await assert.rejects(vault.open({ ...content, generationId: 'gen_2' }));
  const bytes = Buffer.from(content.sealed, 'base64');
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  await assert.rejects(vault.open({ ...content, sealed: bytes.toString('base64') }));
  await assert.rejects(vault.open({ ...content, dayKeyId: 'none' }), /key of its day was deleted/);
});

test('a day has one key for all processes, and another day another one', async (t) => {
  const { master, vaultUnder, seal } = await begin(t);
  const other = vaultUnder(master);
  const [one, two, three] = await Promise.all([
    seal('one'),
    seal('two', day + 1_000, 'gen_2', other),
    seal('three', 2 * day, 'gen_3'),
  ]);
  assert.equal(one.dayKeyId, two.dayKeyId);
  assert.notEqual(one.dayKeyId, three.dayKeyId);
  assert.notEqual(one.sealed, two.sealed);
  assert.equal(String(await other.open(one)), 'one');
});

test('a rotation seals keys of days again: contents open under the new master key alone', async (t) => {
  const { storage, master, vaultUnder, seal } = await begin(t);
  const content = await seal('what was said');
  const fresh = MasterKey.create();
  const keys = new ConfiguredKeySource([fresh, master]);
  assert.deepEqual(await rotateMasterKey(keys, storage), { rotated: 1, masterKeyId: fresh.id });
  assert.equal(String(await vaultUnder(fresh).open(content)), 'what was said');
  await assert.rejects(vaultUnder(master).open(content), /sealed under master key .*, which is not here/);
});

test('a store that fails is asked again for the next one', async (t) => {
  const { storage, seal } = await begin(t);
  const mock = t.mock.method(storage.contents, 'keepDayKey', async () => {
    throw new Error('away');
  });
  await assert.rejects(seal('one'), /away/);
  mock.mock.restore();
  assert.ok((await seal('one')).sealed);
});

test('after a lost master key the operator begins anew once contents are deleted', async (t) => {
  const { storage, seal } = await begin(t);
  const { accountId, generationId } = await seal('what was said');
  await storage.contents.add([await seal('what was said')]);
  const keys = new ConfiguredKeySource([MasterKey.create()]);
  await assert.rejects(rotateMasterKey(keys, storage), /credentials, destinations and contents/);
  assert.equal(await storage.contents.deleteOne(accountId, generationId), true);
  assert.equal((await rotateMasterKey(keys, storage)).rotated, 0);
  assert.deepEqual(await storage.contents.sealedUnderOthers('', 10), []);
});
