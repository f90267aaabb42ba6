import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { testCredential } from '../../test/support/credentials.ts';
import { HeadgateError } from '../core/errors.ts';
import type { SealedSecret } from '../ports/credentials.ts';
import { MasterKey } from '../secrets/master-key.ts';
import { Secret } from '../util/secret.ts';
import type { KeySource } from './key-source.ts';
import { ConfiguredKeySource } from './open-key-source.ts';
import { seal } from './sealing.ts';
import { Vault } from './vault.ts';

const key = MasterKey.create();
const credential = testCredential({ accountId: 'user_1' });
const sealed = (text: string, master = key) => seal(new Secret(text), credential, master);

/** A vault on a store that answers as the script says, and counts what it is asked for. */
function scripted(
  t: TestContext,
  answer: (call: number) => Promise<SealedSecret | undefined> | SealedSecret | undefined,
  keys: KeySource = new ConfiguredKeySource([key]),
) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const asked = { count: 0 };
  const failures: string[] = [];
  const store = {
    sealed: async () => {
      asked.count += 1;
      return answer(asked.count);
    },
    masterKeyId: async () => undefined,
  };
  const vault = new Vault({ keys, store, onFailure: (id, reason) => failures.push(`${id} ${reason}`) });
  return { vault, asked, failures };
}

test('a decrypted secret stays in memory for five seconds', async (t) => {
  const { vault, asked } = scripted(t, () => sealed('one'));
  await vault.open(credential);
  t.mock.timers.tick(4_999);
  assert.equal((await vault.open(credential)).reveal(), 'one');
  assert.equal(asked.count, 1);
  t.mock.timers.tick(1);
  await vault.open(credential);
  assert.equal(asked.count, 2);
});

test('a failed opening is not kept in memory', async (t) => {
  const { vault, asked } = scripted(t, (call) => {
    if (call === 1) throw new HeadgateError('service_unavailable');
    return sealed('one');
  });
  await assert.rejects(vault.open(credential), { code: 'service_unavailable' });
  assert.equal((await vault.open(credential)).reveal(), 'one');
  assert.equal(asked.count, 2);
});

test('a secret that was replaced is kept five seconds of its own', async (t) => {
  const { vault, asked } = scripted(t, (call) => sealed(`secret ${call}`));
  await vault.open(credential);
  t.mock.timers.tick(3_000);
  vault.forget(credential.id);
  assert.equal((await vault.open(credential)).reveal(), 'secret 2');
  t.mock.timers.tick(2_000);
  assert.equal((await vault.open(credential)).reveal(), 'secret 2');
  t.mock.timers.tick(3_000);
  assert.equal((await vault.open(credential)).reveal(), 'secret 3');
  assert.equal(asked.count, 3);
});

test('a secret that a rotation sealed again meanwhile opens', async (t) => {
  const gone = MasterKey.create();
  const { vault, failures } = scripted(t, (call) => (call === 1 ? sealed('a', gone) : sealed('b')));
  assert.equal((await vault.open(credential)).reveal(), 'b');
  assert.deepEqual(failures, []);
});

test('a secret that was deleted during a rotation is said to be deleted, and is no failure', async (t) => {
  const { vault, failures } = scripted(t, (call) =>
    call === 1 ? sealed('a', MasterKey.create()) : undefined,
  );
  await assert.rejects(vault.open(credential), /cannot be used: it was deleted/);
  assert.deepEqual(failures, []);
});

test('under an unknown key it gives up: at once when nothing changes, else after five looks', async (t) => {
  const gone = MasterKey.create();
  const { vault, asked, failures } = scripted(t, () => sealed('a', gone));
  await assert.rejects(vault.open(credential), /it cannot be decrypted/);
  assert.equal(asked.count, 2);
  assert.match(failures.join(), new RegExp(`^${credential.id} .* master key ${gone.id}, which is not here$`));
  t.mock.timers.reset();
  const looked: string[] = [];
  const none: KeySource = {
    current: async () => key,
    find: async (id) => {
      looked.push(id);
      return undefined;
    },
  };
  const changing = scripted(t, () => sealed('a', MasterKey.create()), none);
  await assert.rejects(changing.vault.open(credential), /it cannot be decrypted/);
  assert.deepEqual([looked.length, new Set(looked).size, changing.asked.count], [5, 5, 6]);
  assert.equal(changing.failures.length, 1);
});

test('new secrets are sealed with the key the store names, and with no other', async () => {
  const [current, named] = [MasterKey.create(), MasterKey.create()];
  const vault = (masterKeyId: string | undefined) =>
    new Vault({
      keys: new ConfiguredKeySource([current, named]),
      store: { sealed: async () => undefined, masterKeyId: async () => masterKeyId },
      onFailure: () => undefined,
    });
  const sealedWith = (id: string | undefined) =>
    vault(id).seal(new Secret('a'), credential, async ({ masterKeyId }) => masterKeyId);
  assert.equal(await sealedWith(undefined), current.id);
  assert.equal(await sealedWith(named.id), named.id);
  await assert.rejects(sealedWith('lost'), (error: HeadgateError) => {
    assert.equal(error.code, 'server');
    assert.match(String(error.cause), /master key lost, which is not here: bring it back/);
    return true;
  });
});
