import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Storage } from '../../src/ports/storage.ts';
import { account, apiKey, type OpenStorage, uniqueHash, usd, wednesday } from './fixtures.ts';

async function withAccount(storage: Storage) {
  const owner = account();
  await storage.accounts.create(owner);
  return owner;
}

/** What every KeyStore must do. */
export function describeKeys(name: string, open: OpenStorage): void {
  describe(`keys: ${name}`, () => {
    test('a key is found with its account', async (t) => {
      const storage = await open(t);
      const owner = await withAccount(storage);
      const plain = apiKey(owner.id);
      const full = apiKey(owner.id, {
        workspaceId: owner.defaultWorkspaceId,
        kind: 'management',
        disabled: true,
        // Beyond 2^53: a float would lose the last digits.
        limit: usd(9_007_199_254_740_993n),
        limitReset: 'weekly',
        includeByokInLimit: true,
        expiresAt: wednesday + 5,
        creatorUserId: 'user_1',
        updatedAt: wednesday + 1,
        allowedIps: ['10.0.0.0/8', '::1'],
      });
      await storage.keys.create(plain);
      await storage.keys.create(full);
      assert.deepEqual(await storage.keys.findWithAccount(plain.hash), { key: plain, account: owner });
      assert.deepEqual(await storage.keys.findWithAccount(full.hash), { key: full, account: owner });
      assert.equal(await storage.keys.findWithAccount('0'.repeat(64)), undefined);
      const changed = await storage.accounts.update(owner.id, { disabled: true });
      assert.deepEqual((await storage.keys.findWithAccount(plain.hash))?.account, changed);
    });

    test('a key comes with what its workspace presumes', async (t) => {
      const { accounts, keys, workspaces } = await open(t);
      const owner = account();
      await accounts.create(owner);
      const { defaultWorkspaceId } = owner;
      assert(defaultWorkspaceId !== null);
      const key = apiKey(owner.id, { workspaceId: defaultWorkspaceId });
      await keys.create(key);
      const presumed = async () => (await keys.findWithAccount(key.hash))?.defaults;
      assert.equal(await presumed(), undefined);
      await workspaces.update(owner.id, defaultWorkspaceId, { defaultProviderSort: 'price' }, wednesday);
      assert.deepEqual(await presumed(), { providerSort: 'price' });
      const change = { defaultProviderSort: null, defaultTextModel: 'acme/atlas-4' };
      await workspaces.update(owner.id, defaultWorkspaceId, change, wednesday);
      assert.deepEqual(await presumed(), { textModel: 'acme/atlas-4' });
    });

    test('a hash is stored once', async (t) => {
      const storage = await open(t);
      const owner = await withAccount(storage);
      const key = apiKey(owner.id);
      await storage.keys.create(key);
      await assert.rejects(storage.keys.create({ ...key, name: 'Other' }));
      assert.deepEqual(await storage.keys.listByPrefix('', 10), [key]);
    });

    test('a deleted key is never found again, and its hash cannot be used anew', async (t) => {
      const storage = await open(t);
      const owner = await withAccount(storage);
      const key = apiKey(owner.id);
      await storage.keys.create(key);
      assert.equal(await storage.keys.delete(key.hash, wednesday), true);
      assert.equal(await storage.keys.findWithAccount(key.hash), undefined);
      assert.deepEqual(await storage.keys.listByPrefix('', 10), []);
      assert.equal(await storage.keys.delete(key.hash, wednesday), false);
      assert.equal(await storage.keys.update(key.hash, { disabled: false }, wednesday), undefined);
      await assert.rejects(storage.keys.create(key));
    });

    test('disabling and enabling are noted with their time', async (t) => {
      const storage = await open(t);
      const owner = await withAccount(storage);
      const key = apiKey(owner.id);
      const bystander = apiKey(owner.id);
      await storage.keys.create(key);
      await storage.keys.create(bystander);
      assert.equal((await storage.keys.update(key.hash, { disabled: true }, wednesday + 7))?.disabled, true);
      const found = await storage.keys.findWithAccount(key.hash);
      assert.deepEqual(found?.key, { ...key, disabled: true, updatedAt: wednesday + 7 });
      assert.equal(
        (await storage.keys.update(key.hash, { disabled: false }, wednesday + 8))?.disabled,
        false,
      );
      assert.equal((await storage.keys.findWithAccount(key.hash))?.key.disabled, false);
      assert.deepEqual((await storage.keys.findWithAccount(bystander.hash))?.key, bystander);
      assert.equal(await storage.keys.update('f'.repeat(64), { disabled: true }, wednesday), undefined);
    });

    test('keys are listed of one creator alone, and of none where none is meant', async (t) => {
      const storage = await open(t);
      const { keys } = storage;
      const owner = await withAccount(storage);
      const workspaceId = owner.defaultWorkspaceId ?? '';
      const [own, other] = [apiKey(owner.id, { workspaceId }), apiKey(owner.id, { workspaceId })];
      await keys.create({ ...own, creatorUserId: 'user_ada' });
      await keys.create({ ...other, creatorUserId: null });
      const page = { accountId: owner.id, workspaceId, includeDisabled: true, offset: 0, limit: 10 };
      const hashes = async (creatorUserId?: string | null) =>
        (await keys.list({ ...page, ...(creatorUserId !== undefined && { creatorUserId }) }))
          .map(({ hash }) => hash)
          .toSorted();
      assert.deepEqual(await hashes('user_ada'), [own.hash]);
      assert.deepEqual([await hashes('user_bob'), await hashes(null)], [[], []]);
      assert.deepEqual(await hashes(), [own.hash, other.hash].toSorted());
    });

    test('settings change alone and with others, and stay where they are not named', async (t) => {
      const storage = await open(t);
      const { keys } = storage;
      const key = apiKey((await withAccount(storage)).id);
      await keys.create(key);
      const list = ['192.0.2.1'];
      const set = await keys.update(key.hash, { allowedIps: list, name: 'listed' }, wednesday);
      assert.deepEqual(set, { ...key, allowedIps: list, name: 'listed', updatedAt: wednesday });
      assert.deepEqual((await keys.update(key.hash, { name: 'x' }, wednesday))?.allowedIps, list);
      assert.deepEqual((await keys.findWithAccount(key.hash))?.key.allowedIps, list);
      assert.equal((await keys.update(key.hash, { allowedIps: null }, wednesday))?.allowedIps, null);
      assert.equal(await keys.update('f'.repeat(64), { allowedIps: list }, wednesday), undefined);
    });

    test('a rotated key keeps all but its secret, and earlier secrets end with the grace time at the latest', async (t) => {
      const storage = await open(t);
      const { keys, callers } = storage;
      const key = apiKey((await withAccount(storage)).id, { limit: usd(5), allowedIps: ['10.0.0.0/8'] });
      await keys.create(key);
      const secret = (at: number) => {
        return { hash: uniqueHash(), label: `label ${at}`, createdAt: wednesday + at, endsAt: null };
      };
      const [first, second, third] = [secret(10), secret(20), secret(30)];
      assert.equal(await keys.keyOfSecret(first.hash), undefined);
      const once = await keys.rotate(key.hash, { fresh: first, endsAt: wednesday + 100 });
      const { hash, label, createdAt } = key;
      const original = { hash, label, createdAt, endsAt: wednesday + 100 };
      const rotated = { ...key, label: first.label, updatedAt: wednesday + 10, secrets: [original, first] };
      assert.deepEqual(once, rotated);
      assert.deepEqual((await keys.findWithAccount(key.hash))?.key, rotated);
      const caller = await (await callers.read([key.hash], wednesday)).get(key.hash);
      assert.deepEqual(caller?.key, rotated);
      assert.equal(await keys.keyOfSecret(first.hash), key.hash);
      assert.equal(await callers.keyOfSecret(first.hash), key.hash);
      // It was promised until 100, and a longer time given later to the next one does not change that.
      const twice = await keys.rotate(key.hash, { fresh: second, endsAt: wednesday + 200 });
      assert.deepEqual(twice?.secrets, [original, { ...first, endsAt: wednesday + 200 }, second]);
      // All that came before ends now.
      const thrice = await keys.rotate(key.hash, { fresh: third, endsAt: wednesday + 30 });
      assert.deepEqual(thrice?.secrets, [third]);
      assert.equal(await keys.keyOfSecret(first.hash), undefined);
      assert.equal(await keys.keyOfSecret(third.hash), key.hash);
      assert.equal(await keys.keyOfSecret(key.hash), undefined);
      assert.deepEqual((await keys.update(key.hash, { name: 'x' }, wednesday))?.secrets, [third]);
      assert.equal(await keys.rotate('f'.repeat(64), { fresh: secret(40), endsAt: wednesday }), undefined);
    });

    test('a management key is remembered even after its deletion', async (t) => {
      const storage = await open(t);
      assert.equal(await storage.keys.hasManagementKey(), false);
      const owner = await withAccount(storage);
      await storage.keys.create(apiKey(owner.id));
      assert.equal(await storage.keys.hasManagementKey(), false);
      const management = apiKey(owner.id, { kind: 'management' });
      await storage.keys.create(management);
      assert.equal(await storage.keys.hasManagementKey(), true);
      await storage.keys.delete(management.hash, wednesday);
      assert.equal(await storage.keys.hasManagementKey(), true);
    });

    test('keys are listed by prefix, newest first, at most as many as asked for', async (t) => {
      const storage = await open(t);
      const owner = await withAccount(storage);
      const hashes = ['ab01', 'ab02', 'ac01'].map((start) => start.padEnd(64, '0'));
      const keys = hashes.map((hash, index) => apiKey(owner.id, { hash, createdAt: wednesday + index }));
      for (const key of keys) await storage.keys.create(key);
      const found = async (prefix: string, limit = 10) =>
        (await storage.keys.listByPrefix(prefix, limit)).map((key) => key.hash.slice(0, 4));
      assert.deepEqual(await found(''), ['ac01', 'ab02', 'ab01']);
      assert.deepEqual(await found('', 2), ['ac01', 'ab02']);
      assert.deepEqual(await found('ab'), ['ab02', 'ab01']);
      assert.deepEqual(await found('ab02'), ['ab02']);
      assert.deepEqual(await found(hashes[0] ?? ''), ['ab01']);
      assert.deepEqual(await found(`${hashes[0]}0`), []);
    });

    test('a prefix is taken literally, whatever its letters mean in SQL', async (t) => {
      const storage = await open(t);
      const owner = await withAccount(storage);
      const odd = ['%odd', '_odd', "'odd", '\\odd', 'Odd'];
      for (const hash of [...odd, 'xodd']) await storage.keys.create(apiKey(owner.id, { hash }));
      for (const hash of odd) {
        const found = await storage.keys.listByPrefix(hash.slice(0, 1), 10);
        assert.deepEqual(
          found.map((key) => key.hash),
          [hash],
        );
      }
      for (const prefix of [
        "' or '1'='1",
        "x' or 1=1 --",
        '%%',
        '*',
        '?',
        'o',
        'X',
        "'; drop table api_keys; --",
      ]) {
        assert.deepEqual(await storage.keys.listByPrefix(prefix, 10), [], prefix);
      }
      assert.equal((await storage.keys.listByPrefix('', 10)).length, 6);
    });
  });
}
