import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { account } from '../../test/conformance/fixtures.ts';
import { testCredential } from '../../test/support/credentials.ts';
import { createCarrierSeals } from '../secrets/carrier-seals.ts';
import { MasterKey } from '../secrets/master-key.ts';
import { openStorage } from '../storage/open-storage.ts';
import { Secret } from '../util/secret.ts';
import { openCarrierSecret } from './carrier-secret.ts';
import { ConfiguredKeySource } from './open-key-source.ts';
import { rotateMasterKey } from './rotate-master-key.ts';
import { Vault } from './vault.ts';

async function openStore(t: TestContext) {
  const storage = await openStorage('sqlite::memory:');
  t.after(() => storage.close());
  await storage.migrate();
  return storage;
}

test('what was carried before a rotation is readable after it, without the old master key', async (t) => {
  const storage = await openStore(t);
  const store = storage.credentials;
  const [old, fresh] = [MasterKey.create(), MasterKey.create()];
  const before = new ConfiguredKeySource([old]);
  const carried = createCarrierSeals(await openCarrierSecret(before, store))('acme').seal('a thought');
  const owner = account();
  await storage.accounts.create(owner);
  const credential = testCredential({ accountId: owner.id });
  const vault = new Vault({ keys: before, store, onFailure: () => undefined });
  await vault.seal(new Secret('sk'), credential, (sealed) => store.create(credential, sealed));
  await rotateMasterKey(new ConfiguredKeySource([fresh, old]), storage);
  const seals = createCarrierSeals(await openCarrierSecret(new ConfiguredKeySource([fresh]), store));
  assert.equal(seals('acme').open(carried), 'a thought');
  assert.equal(seals('other').open(carried), undefined, 'bound to the account');
  assert.equal(seals('acme').open(''), undefined);
  assert.equal(seals('acme').open(`${carried.slice(0, -4)}AAAA`), undefined);
});

test('processes that start together share one secret; a missing master key replaces nothing', async (t) => {
  const { credentials: store } = await openStore(t);
  const keys = new ConfiguredKeySource([MasterKey.create()]);
  const made = await Promise.all([openCarrierSecret(keys, store), openCarrierSecret(keys, store)]);
  assert.deepEqual(made[0], made[1]);
  const stranger = await openCarrierSecret(new ConfiguredKeySource([MasterKey.create()]), store);
  assert.notDeepEqual(stranger, made[0]);
  assert.deepEqual(await openCarrierSecret(keys, store), made[0]);
});
