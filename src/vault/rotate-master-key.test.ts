import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { account, testDestination, workspace } from '../../test/conformance/fixtures.ts';
import { testCredential } from '../../test/support/credentials.ts';
import { MasterKey } from '../secrets/master-key.ts';
import { openStorage } from '../storage/open-storage.ts';
import { Secret } from '../util/secret.ts';
import { DestinationSecrets } from './destination-secrets.ts';
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
  return { storage, store, old, fresh, credentials, keys: new WatchedKeys([fresh, old]) };
}

test('each secret is sealed again once, however many there are, and the old key is retired last', async (t) => {
  const { storage, store, old, fresh, keys } = await open(t, 205);
  assert.deepEqual(await rotateMasterKey(keys, storage), { rotated: 205, masterKeyId: fresh.id });
  assert.deepEqual(keys.retired, [old.id]);
  assert.equal(await store.masterKeyId(), fresh.id);
  assert.deepEqual(await store.sealedUnderOthers(fresh.id, 1000), []);
});

test('configs of destinations are sealed again too, and open under the new key alone', async (t) => {
  const { storage, old, fresh, keys } = await open(t, 1);
  const [{ id: accountId } = assert.fail()] = await storage.accounts.list();
  await storage.workspaces.create(workspace(accountId, { id: 'w' }));
  const parts = { accountId, id: randomUUID() };
  const secretsUnder = (source: ConfiguredKeySource) =>
    new DestinationSecrets({ keys: source, store: storage.credentials }, storage.destinations);
  const config = { url: 'https://ours.example', signingSecret: 'whsec_x' };
  await secretsUnder(new ConfiguredKeySource([old])).seal(config, parts, (sealed) =>
    storage.destinations.create(testDestination({ ...parts, workspaceId: 'w' }), sealed, 5),
  );
  assert.equal((await rotateMasterKey(keys, storage)).rotated, 2);
  assert.deepEqual(await secretsUnder(new ConfiguredKeySource([fresh])).open(parts), config);
  await assert.rejects(
    secretsUnder(new ConfiguredKeySource([old])).open(parts),
    /is sealed under master key/,
  );
});

test('a secret that changed meanwhile is not counted until it is sealed again', async (t) => {
  const { storage, store, keys } = await open(t, 3);
  const replace = store.replaceSealed.bind(store);
  let calls = 0;
  t.mock.method(store, 'replaceSealed', async (...parameters: Parameters<typeof replace>) => {
    calls += 1;
    return calls > 1 && replace(...parameters);
  });
  assert.equal((await rotateMasterKey(keys, storage)).rotated, 3);
  assert.equal(calls, 4);
});

test('a rotation that another one overtook says so and retires nothing', async (t) => {
  const { storage, store, keys } = await open(t);
  const other = MasterKey.create();
  const replace = store.replaceSealed.bind(store);
  t.mock.method(store, 'replaceSealed', async (...parameters: Parameters<typeof replace>) => {
    const replaced = await replace(...parameters);
    await store.useMasterKey(other.id);
    return replaced;
  });
  await assert.rejects(rotateMasterKey(keys, storage), /another rotation began; its key counts/);
  assert.deepEqual(keys.retired, []);
});

test('a lost master key stops a rotation before anything changes, unless nothing needs it', async (t) => {
  const { storage, store, old, fresh, credentials } = await open(t);
  const without = new WatchedKeys([fresh, MasterKey.create()]);
  await assert.rejects(rotateMasterKey(without, storage), (error: Error) => {
    assert.match(error.message, new RegExp(`under master key ${old.id}, which is not here: bring it back`));
    return true;
  });
  assert.equal(await store.masterKeyId(), old.id);
  for (const { id } of credentials) await store.delete(id, 1);
  assert.deepEqual(await rotateMasterKey(without, storage), { rotated: 0, masterKeyId: fresh.id });
  assert.equal(await store.masterKeyId(), fresh.id);
  assert.deepEqual(without.retired, []);
});

test('without any secret nothing is renewed, and the key in use stays', async (t) => {
  const { storage, store, old, fresh, keys, credentials } = await open(t);
  for (const { id } of credentials) await store.delete(id, 1);
  assert.deepEqual(await rotateMasterKey(keys, storage), { rotated: 0, masterKeyId: fresh.id });
  assert.equal(await store.masterKeyId(), old.id);
});

test('a secret that cannot be opened is named, and no key is retired', async (t) => {
  const { storage, store, old, keys, credentials } = await open(t);
  const [one] = credentials;
  assert.ok(one);
  const other = MasterKey.create();
  const sealed = await store.sealed(one.id);
  assert.ok(sealed);
  t.mock.method(store, 'sealedUnderOthers', async () => [
    { id: one.id, accountId: one.accountId, sealed: { ...sealed, masterKeyId: other.id } },
  ]);
  await assert.rejects(
    rotateMasterKey(keys, storage),
    new RegExp(`credential ${one.id} is sealed under master key ${other.id}, which is not here`),
  );
  t.mock.method(store, 'sealedUnderOthers', async () => [
    { id: one.id, accountId: 'user_other', sealed: { ...sealed, masterKeyId: old.id } },
  ]);
  await assert.rejects(
    rotateMasterKey(keys, storage),
    new RegExp(`credential ${one.id} cannot be decrypted; delete it`),
  );
  assert.deepEqual(keys.retired, []);
});
