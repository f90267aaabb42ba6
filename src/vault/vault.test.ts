import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { account } from '../../test/conformance/fixtures.ts';
import { testCredential } from '../../test/support/credentials.ts';
import type { HeadgateError } from '../core/errors.ts';
import { StaleMasterKey } from '../ports/credentials.ts';
import { MasterKey, readMasterKeys } from '../secrets/master-key.ts';
import { openStorage } from '../storage/open-storage.ts';
import { Secret } from '../util/secret.ts';
import { ConfiguredKeySource, openKeySource } from './open-key-source.ts';
import { rotateMasterKey } from './rotate-master-key.ts';
import { Vault } from './vault.ts';

const raw = 'sk-test-9f8e7d6c5b4a39281706';

async function open(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'headgate-'));
  const storage = await openStorage(`sqlite:${join(directory, 'headgate.db')}`);
  t.after(async () => {
    await storage.close();
    await rm(directory, { recursive: true, force: true });
  });
  await storage.migrate();
  const owner = account();
  await storage.accounts.create(owner);
  const failures: [string, unknown][] = [];
  const newVault = (keys = openKeySource(directory, undefined)) =>
    new Vault({ keys, store: storage.credentials, onFailure: (id, reason) => failures.push([id, reason]) });
  const add = (vault: Vault, secret = raw) => {
    const credential = testCredential({ accountId: owner.id });
    return vault.seal(new Secret(secret), credential, (sealed) =>
      storage.credentials.create(credential, sealed),
    );
  };
  const tamper = (statement: string) => {
    const database = new DatabaseSync(join(directory, 'headgate.db'));
    database.exec(statement);
    database.close();
  };
  return { directory, storage, owner, failures, newVault, add, tamper };
}

async function refusal(opening: Promise<unknown>): Promise<HeadgateError> {
  const thrown = await opening.then(
    () => assert.fail('opened'),
    (error: HeadgateError) => error,
  );
  assert.deepEqual([thrown.code, thrown.status], ['upstream_credential', 502]);
  assert.ok(!inspect(thrown, { depth: 9 }).includes(raw));
  return thrown;
}

test('a secret comes out as it went in, the same object for seconds, and is nowhere in the files', async (t) => {
  const { directory, storage, newVault, add } = await open(t);
  const vault = newVault();
  const credential = await add(vault);
  const secret = await newVault().open(credential);
  assert.equal(secret.reveal(), raw);
  assert.equal(await vault.open(credential), await vault.open(credential));
  const sealed = await storage.credentials.sealed(credential.id);
  assert.ok(sealed);
  assert.equal(Buffer.from(sealed.nonce, 'base64').length, 12);
  const other = await add(vault);
  assert.notEqual((await storage.credentials.sealed(other.id))?.ciphertext, sealed.ciphertext);
  for (const name of ['headgate.db', 'headgate.db-wal', 'master.key']) {
    assert.ok(!(await readFile(join(directory, name), 'latin1')).includes(raw), name);
  }
  assert.equal((await stat(join(directory, 'master.key'))).mode & 0o777, 0o600);
});

test('a flipped bit, a row of another account or credential, and a foreign key fail clearly', async (t) => {
  const { storage, failures, newVault, add, tamper } = await open(t);
  const credential = await add(newVault());
  const sealed = await storage.credentials.sealed(credential.id);
  assert.ok(sealed);
  const moved = { ...credential, accountId: 'user_other' };
  assert.match((await refusal(newVault().open(moved))).message, /cannot be decrypted/);
  const bytes = Buffer.from(sealed.ciphertext, 'base64');
  for (const place of [0, bytes.length - 1]) {
    const flipped = Buffer.from(bytes);
    flipped[place] = (flipped[place] ?? 0) ^ 1;
    tamper(`update provider_credentials set ciphertext = '${flipped.toString('base64')}'`);
    await refusal(newVault().open(credential));
  }
  tamper(`update provider_credentials set ciphertext = ''`);
  await refusal(newVault().open(credential));
  tamper(`update provider_credentials set ciphertext = '${sealed.ciphertext}'`);
  await refusal(newVault(new ConfiguredKeySource([MasterKey.create()])).open(credential));
  assert.match(String(failures.at(-1)?.[1]), /under master key [0-9a-f]{16}, which is not here/);
  assert.match(String(failures[0]?.[1]), /altered, or it belongs to another account/);
  assert.ok(failures.every(([id]) => id === credential.id));
  assert.equal((await newVault().open(credential)).reveal(), raw, 'as it was');
});

test('what was deleted or changed is not given out from memory', async (t) => {
  const { storage, newVault, add } = await open(t);
  const vault = newVault();
  const credential = await add(vault);
  await vault.open(credential);
  await vault.seal(new Secret('sk-second'), credential, (sealed) =>
    storage.credentials.update(credential.id, () => ({ label: 'new' }), sealed),
  );
  vault.forget(credential.id);
  assert.equal((await vault.open(credential)).reveal(), 'sk-second');
  await storage.credentials.delete(credential.id, 1);
  vault.forget(credential.id);
  assert.match((await refusal(vault.open(credential))).message, /it was deleted/);
  assert.equal(await storage.credentials.sealed(credential.id), undefined, 'wiped');
});

test('rotation while others store and open: nothing fails, and the old key opens nothing afterwards', async (t) => {
  const { directory, storage, newVault, add } = await open(t);
  const server = newVault();
  await add(server);
  const [first] = readMasterKeys(await readFile(join(directory, 'master.key'), 'utf8'), '');
  assert.ok(first);
  const stored = await Promise.all(Array.from({ length: 150 }, (_, index) => add(server, `secret-${index}`)));
  let running = true;
  const load = (async () => {
    let opened = 0;
    for (; running; opened += 1) {
      const index = opened % stored.length;
      const credential = stored[index];
      assert.ok(credential);
      server.forget(credential.id);
      assert.equal((await server.open(credential)).reveal(), `secret-${index}`);
      if (opened % 10 === 0) await add(server, raw);
    }
    return opened;
  })();
  const rotations = [];
  for (let round = 0; round < 3; round += 1) {
    rotations.push(await rotateMasterKey(openKeySource(directory, undefined), storage));
  }
  running = false;
  assert.ok((await load) > 0);
  assert.ok(rotations.every(({ rotated }) => rotated >= 151));
  const kept = readMasterKeys(await readFile(join(directory, 'master.key'), 'utf8'), '');
  assert.deepEqual(
    kept.map(({ id }) => id),
    [rotations.at(-1)?.masterKeyId],
  );
  const [one] = stored;
  assert.ok(one);
  await refusal(newVault(new ConfiguredKeySource([first])).open(one));
  assert.equal((await newVault().open(one)).reveal(), 'secret-0');
  const all = await storage.credentials.sealedUnderOthers('none', 10_000);
  assert.ok(all.every(({ sealed }) => sealed.masterKeyId === kept[0]?.id));
});

test('rotations at the same moment: one may give way, no secret is lost', async (t) => {
  const { directory, storage, newVault, add } = await open(t);
  const stored = await Promise.all(Array.from({ length: 40 }, () => add(newVault())));
  const outcomes = await Promise.allSettled(
    [1, 2, 3].map(() => rotateMasterKey(openKeySource(directory, undefined), storage)),
  );
  assert.ok(outcomes.some(({ status }) => status === 'fulfilled'));
  for (const credential of stored) assert.equal((await newVault().open(credential)).reveal(), raw);
  await add(newVault());
});

test('given keys are renewed by giving a new one first', async (t) => {
  const { storage, newVault, add } = await open(t);
  const [old, fresh] = [MasterKey.create(), MasterKey.create()];
  const credential = await add(newVault(new ConfiguredKeySource([old])));
  await assert.rejects(rotateMasterKey(new ConfiguredKeySource([old]), storage), /NEW,OLD/);
  const both = new ConfiguredKeySource(readMasterKeys(`${fresh.toBase64()},${old.toBase64()}`, 'x'));
  assert.equal((await rotateMasterKey(both, storage)).rotated, 1);
  assert.equal((await newVault(new ConfiguredKeySource([fresh])).open(credential)).reveal(), raw);
  await refusal(newVault(new ConfiguredKeySource([old])).open(credential));
});

test('a master key shows nothing of itself', () => {
  const key = MasterKey.create();
  for (const text of [String(key), JSON.stringify({ key }), inspect({ key }, { depth: 9 })]) {
    assert.ok(!text.includes(key.toBase64()) && text.includes(key.id));
  }
});

test('storing is tried again for a stale master key alone, and not for ever', async (t) => {
  const { newVault } = await open(t);
  const vault = newVault();
  const credential = testCredential({ accountId: 'user_1' });
  const attempt = async (failures: readonly Error[]) => {
    let calls = 0;
    const stored = vault.seal(new Secret(raw), credential, async () => {
      const failure = failures[calls];
      calls += 1;
      if (failure !== undefined) throw failure;
      return 'stored';
    });
    const outcome = await stored.catch((error: unknown) => error);
    return { calls, outcome };
  };
  const full = new Error('disk full');
  assert.deepEqual(await attempt([full]), { calls: 1, outcome: full });
  const stale = new StaleMasterKey();
  assert.deepEqual(await attempt([stale, stale]), { calls: 3, outcome: 'stored' });
  assert.deepEqual(await attempt([stale, full]), { calls: 2, outcome: full });
  assert.deepEqual(await attempt(Array.from({ length: 9 }, () => stale)), { calls: 5, outcome: stale });
});
