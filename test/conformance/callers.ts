import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Account } from '../../src/ports/accounts.ts';
import type { CallerStore } from '../../src/ports/callers.ts';
import type { ProviderCredential } from '../../src/ports/credentials.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { testCredential } from '../support/credentials.ts';
import {
  account,
  apiKey,
  generation,
  ledgerEntry,
  type OpenStorage,
  unique,
  uniqueHash,
  usd,
  wednesday,
  workspace,
} from './fixtures.ts';

async function addAccount({ accounts }: Storage): Promise<Account> {
  const owner = account();
  await accounts.create(owner);
  return owner;
}

function addCredential({ credentials }: Storage, accountId: string, change: Partial<ProviderCredential>) {
  const { sortOrder: _place, ...fresh } = testCredential({ accountId, ...change });
  const sealed = { ciphertext: unique('Y2lwaGVy'), nonce: unique('bm9uY2U'), masterKeyId: 'k1' };
  return credentials.create(fresh, sealed);
}

async function readOne(callers: CallerStore, hash: string) {
  return (await callers.read([hash], wednesday)).get(hash);
}

const nothing = { total: 0n, daily: 0n, weekly: 0n, monthly: 0n };

/** What every CallerStore must do. */
export function describeCallers(name: string, open: OpenStorage): void {
  describe(`callers: ${name}`, () => {
    test('a caller is read with everything a request has to know, as the other stores tell it', async (t) => {
      const storage = await open(t);
      const { callers, credentials, keys, ledger, workspaces } = storage;
      const owner = await addAccount(storage);
      const { defaultWorkspaceId } = owner;
      assert(defaultWorkspaceId !== null);
      await workspaces.update(owner.id, defaultWorkspaceId, { defaultProviderSort: 'price' }, wednesday);
      const key = apiKey(owner.id, { workspaceId: defaultWorkspaceId, limit: usd(900) });
      await keys.create(key);
      await ledger.append(ledgerEntry(owner.id, { amount: usd(1_000), countsAsPurchase: true }));
      const charge = { accountId: owner.id, keyHash: key.hash, settledAt: wednesday };
      await ledger.settle(generation({ ...charge, cost: usd(30) }));
      await ledger.settle(generation({ ...charge, cost: usd(4), settledAt: wednesday - 86_400_000 }));
      const add = (change: Partial<ProviderCredential>) => addCredential(storage, owner.id, change);
      const last = await add({ provider: 'b' });
      const first = await add({ provider: 'a' });
      await workspaces.create(workspace(owner.id, { id: 'w1' }));
      const elsewhere = await add({ provider: 'a', workspaceId: 'w1', createdAt: 1 });
      await add({ provider: 'a', disabled: true });
      const wiped = await add({ provider: 'a' });
      await credentials.delete(wiped.id, wednesday);
      assert.deepEqual(await readOne(callers, key.hash), {
        key,
        account: owner,
        defaults: { providerSort: 'price' },
        spend: { usage: { total: 34n, daily: 30n, weekly: 34n, monthly: 34n }, byokUsage: nothing },
        balance: { balance: 966n, purchasedTotal: 1_000n, spentTotal: 34n },
        credentials: [first, elsewhere, last],
      });
    });

    test('an account nothing was booked for has no money; spending is told of keys with a limit alone', async (t) => {
      const storage = await open(t);
      const owner = await addAccount(storage);
      const [free, limited] = [apiKey(owner.id), apiKey(owner.id, { limit: usd(1) })];
      for (const key of [free, limited]) await storage.keys.create(key);
      const found = await storage.callers.read([free.hash, limited.hash], wednesday);
      const balance = { balance: 0n, purchasedTotal: 0n, spentTotal: 0n };
      const known = { account: owner, balance, credentials: [] };
      assert.deepEqual(await found.get(free.hash), { ...known, key: free, spend: undefined });
      const spend = { usage: nothing, byokUsage: nothing };
      assert.deepEqual(await found.get(limited.hash), { ...known, key: limited, spend });
    });

    test('many are read together, each with its own; unknown and deleted keys are missing', async (t) => {
      const storage = await open(t);
      const { callers, keys, ledger } = storage;
      const owners = [await addAccount(storage), await addAccount(storage), await addAccount(storage)];
      const all = Array.from({ length: 150 }, (_, at) => {
        const owner = owners[at % owners.length];
        assert(owner !== undefined);
        return { at, owner, key: apiKey(owner.id, { limit: usd(at), disabled: at === 7 }) };
      });
      for (const { at, owner, key } of all) {
        await keys.create(key);
        await ledger.settle(
          generation({
            accountId: owner.id,
            keyHash: key.hash,
            cost: usd(at),
            settledAt: wednesday,
          }),
        );
      }
      for (const [at, { id }] of owners.entries()) {
        await addCredential(storage, id, { provider: `p${at}` });
      }
      const deleted = apiKey(owners[0]?.id ?? '');
      await keys.create(deleted);
      await keys.delete(deleted.hash, wednesday);
      for (const count of [1, 2, 8, 9, 64, 65, 150]) {
        const asked = all.slice(0, count);
        const hashes = asked.map(({ key }) => key.hash);
        const found = await callers.read([uniqueHash(), ...hashes, deleted.hash], wednesday);
        assert.equal(found.size, count);
        for (const { at, owner, key } of asked) {
          const caller = await found.get(key.hash);
          assert.deepEqual([caller?.key, caller?.account], [key, owner]);
          assert.equal(caller?.spend?.usage.daily, BigInt(at));
          assert.deepEqual(
            caller.credentials.map(({ provider }) => provider),
            [`p${at % owners.length}`],
          );
        }
      }
      assert.equal((await callers.read([], wednesday)).size, 0);
    });
  });
}
