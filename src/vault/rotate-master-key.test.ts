import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { account } from '../../test/conformance/fixtures.ts';
import { testCredential } from '../../test/support/credentials.ts';
import { MasterKey } from '../secrets/master-key.ts';
import { openStorage } from '../storage/open-storage.ts';
import { Secret } from '../util/secret.ts';
import { ConfiguredKeySource } from './open-key-source.ts';
import { rotateMasterKey } from './rotate-master-key.ts';
import { Vault } from './vault.ts';

class WatchedKeys extends ConfiguredKeySource {
  retired: readonly string[] = [];

  override async retire(ids: readonly string[] = []) {
    this.retired = ids;
  }
}

/** A store with credentials sealed under `old`, and keys that begin with `fresh`. */
async function open(t: TestContext, count = 1) {
  const storage = await openStorage('sqlite::memory:');
  t.after(() => storage.close());
  await storage.migrate();
  const owner = account();
  await storage.accounts.create(owner);
  const [old, fresh] = [MasterKey.create(), MasterKey.create()];
  const store = storage.credentials;
  const vault = new Vault({ keys: new ConfiguredKeySource([old]), store, onFailure: () => undefined });
  const credentials = Array.from({ length: count }, () => testCredential({ accountId: owner.id }));
  for (const credential of credentials) {
    await vault.seal(new Secret('sk'), credential, (sealed) => store.create(credential, sealed));
  }
  return { store, old, fresh, credentials, keys: new WatchedKeys([fresh, old]) };
}

test('each secret is sealed again once, however many there are, and the old key is retired last', async (t) => {
  const { store, old, fresh, keys } = await open(t, 205);
  assert.deepEqual(await rotateMasterKey(keys, store), { rotated: 205, masterKeyId: fresh.id });
  assert.deepEqual(keys.retired, [old.id]);
  assert.equal(await store.masterKeyId(), fresh.id);
  assert.deepEqual(await store.sealedUnderOthers(fresh.id, 1000), []);
});

test('a secret that changed meanwhile is not counted until it is sealed again', async (t) => {
  const { store, keys } = await open(t, 3);
  const replace = store.replaceSealed.bind(store);
  let calls = 0;
  t.mock.method(store, 'replaceSealed', async (...parameters: Parameters<typeof replace>) => {
    calls += 1;
    return calls > 1 && replace(...parameters);
  });
  assert.equal((await rotateMasterKey(keys, store)).rotated, 3);
  assert.equal(calls, 4);
});

test('a rotation that another one overtook says so and retires nothing', async (t) => {
  const { store, keys } = await open(t);
  const other = MasterKey.create();
  const replace = store.replaceSealed.bind(store);
  t.mock.method(store, 'replaceSealed', async (...parameters: Parameters<typeof replace>) => {
    const replaced = await replace(...parameters);
    await store.useMasterKey(other.id);
    return replaced;
  });
  await assert.rejects(rotateMasterKey(keys, store), /another rotation began; its key counts/);
  assert.deepEqual(keys.retired, []);
});

test('a lost master key stops a rotation before anything changes, unless nothing needs it', async (t) => {
  const { store, old, fresh, credentials } = await open(t);
  const without = new WatchedKeys([fresh, MasterKey.create()]);
  await assert.rejects(rotateMasterKey(without, store), (error: Error) => {
    assert.match(error.message, new RegExp(`under master key ${old.id}, which is not here: bring it back`));
    return true;
  });
  assert.equal(await store.masterKeyId(), old.id);
  for (const { id } of credentials) await store.delete(id, 1);
  assert.deepEqual(await rotateMasterKey(without, store), { rotated: 0, masterKeyId: fresh.id });
  assert.equal(await store.masterKeyId(), fresh.id);
  assert.deepEqual(without.retired, []);
});

test('without any secret nothing is renewed, and the key in use stays', async (t) => {
  const { store, old, fresh, keys, credentials } = await open(t);
  for (const { id } of credentials) await store.delete(id, 1);
  assert.deepEqual(await rotateMasterKey(keys, store), { rotated: 0, masterKeyId: fresh.id });
  assert.equal(await store.masterKeyId(), old.id);
});

test('a secret that cannot be opened is named, and no key is retired', async (t) => {
  const { store, old, keys, credentials } = await open(t);
  const [one] = credentials;
  assert.ok(one);
  const other = MasterKey.create();
  const sealed = await store.sealed(one.id);
  assert.ok(sealed);
  t.mock.method(store, 'sealedUnderOthers', async () => [
    { id: one.id, accountId: one.accountId, sealed: { ...sealed, masterKeyId: other.id } },
  ]);
  await assert.rejects(
    rotateMasterKey(keys, store),
    new RegExp(`credential ${one.id} is sealed under master key ${other.id}, which is not here`),
  );
  t.mock.method(store, 'sealedUnderOthers', async () => [
    { id: one.id, accountId: 'user_other', sealed: { ...sealed, masterKeyId: old.id } },
  ]);
  await assert.rejects(
    rotateMasterKey(keys, store),
    new RegExp(`credential ${one.id} cannot be decrypted; delete it`),
  );
  assert.deepEqual(keys.retired, []);
});
