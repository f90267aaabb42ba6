import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type NewCredential,
  type ProviderCredential,
  type SealedSecret,
  StaleMasterKey,
} from '../../src/ports/credentials.ts';
import { testCredential } from '../support/credentials.ts';
import { account, type OpenStorage, unique, wednesday, workspace } from './fixtures.ts';

const sealedBy = (masterKeyId: string): SealedSecret => ({
  ciphertext: unique('Y2lwaGVy'),
  nonce: unique('bm9uY2U'),
  masterKeyId,
});

/** What every CredentialStore must do. */
export function describeCredentials(name: string, open: OpenStorage): void {
  async function begin(t: Parameters<OpenStorage>[0]) {
    const { accounts, credentials, workspaces } = await open(t);
    const owner = account();
    await accounts.create(owner);
    for (const id of ['w1', 'w2']) await workspaces.create(workspace(owner.id, { id }));
    const add = (change: Partial<ProviderCredential> = {}, sealed = sealedBy('k1')) => {
      const { sortOrder: _place, ...fresh } = testCredential({ accountId: owner.id, ...change });
      return credentials.create(fresh satisfies NewCredential, sealed);
    };
    return { owner, accounts, credentials, add };
  }

  describe(`provider credentials: ${name}`, () => {
    test('one is found as it was created, in its place', async (t) => {
      const { credentials, add } = await begin(t);
      const rich = await add({
        workspaceId: 'w1',
        name: `Zoë's "x"; drop table accounts; -- \u{1f600}`,
        disabled: true,
        isByokOnly: true,
        isRequired: true,
        declaredZdr: false,
        allowedModels: ['a/b', 'c/d'],
        allowedKeyHashes: ['f'.repeat(64)],
        allowedUserIds: [],
        createdAt: wednesday,
      });
      const second = await add({ workspaceId: 'w1', isFallback: true, declaredZdr: true });
      assert.deepEqual([rich.sortOrder, second.sortOrder], [0, 1]);
      for (const one of [rich, second]) assert.deepEqual(await credentials.find(one.id), one);
      const others = [
        await add(),
        await add({ workspaceId: 'w2' }),
        await add({ workspaceId: 'w1', provider: 'b' }),
      ];
      assert.deepEqual(
        others.map(({ sortOrder }) => sortOrder),
        [0, 0, 0],
      );
      assert.equal(await credentials.find('none'), undefined);
    });

    test('lists: a workspace with what is for all, a provider; ordered, in pages', async (t) => {
      const { owner, accounts, credentials, add } = await begin(t);
      const stranger = account();
      await accounts.create(stranger);
      const [b0, b1, a0] = [
        await add({ provider: 'b' }),
        await add({ provider: 'b' }),
        await add({ provider: 'a' }),
      ];
      const inside = await add({ provider: 'a', workspaceId: 'w1', disabled: true, createdAt: 7 });
      await add({ provider: 'a', workspaceId: 'w2' });
      await add({ accountId: stranger.id });
      const ids = async (query: {
        workspaceId?: string;
        provider?: string;
        offset?: number;
        limit?: number;
      }) => {
        const plain = { accountId: owner.id, offset: 0, limit: 50 };
        const found = await credentials.list({ ...plain, ...query });
        return [found.total, ...found.credentials.map(({ id }) => id)];
      };
      assert.deepEqual(await ids({ workspaceId: 'w1' }), [4, a0.id, inside.id, b0.id, b1.id]);
      assert.deepEqual(await ids({ workspaceId: 'w1', provider: 'b', offset: 1, limit: 1 }), [2, b1.id]);
      assert.equal((await ids({}))[0], 5);
    });

    test('a change sees the record as it is, touches what it names, and may be refused', async (t) => {
      const { credentials, add } = await begin(t);
      const made = await add({ name: 'x', allowedModels: ['a/b'] });
      const renewed = sealedBy('k1');
      const changed = await credentials.update(
        made.id,
        (current) => {
          assert.deepEqual(current, made);
          return {
            name: null,
            allowedModels: null,
            disabled: true,
            label: 'new',
            sortOrder: 9,
            isFallback: undefined,
          };
        },
        renewed,
      );
      const expected = {
        ...made,
        name: null,
        allowedModels: null,
        disabled: true,
        label: 'new',
        sortOrder: 9,
      };
      assert.deepEqual(changed, expected);
      assert.deepEqual(await credentials.sealed(made.id), renewed);
      const refusal = new Error('no');
      await assert.rejects(
        credentials.update(made.id, () => {
          throw refusal;
        }),
        refusal,
      );
      assert.deepEqual(await credentials.find(made.id), expected);
      assert.equal(await credentials.update('none', () => ({})), undefined);
      const adding = Array.from({ length: 20 }, () =>
        credentials.update(made.id, ({ sortOrder }) => ({ sortOrder: sortOrder + 1 })),
      );
      await Promise.all(adding);
      assert.equal((await credentials.find(made.id))?.sortOrder, 29, 'one step each');
    });

    test('a deleted one is never found again and its secret is gone', async (t) => {
      const { credentials, add } = await begin(t);
      const made = await add();
      assert.equal(await credentials.delete(made.id, wednesday), true);
      assert.equal(await credentials.delete(made.id, wednesday), false);
      assert.equal(await credentials.find(made.id), undefined);
      assert.equal(await credentials.sealed(made.id), undefined);
      assert.equal(await credentials.update(made.id, () => ({})), undefined);
      assert.deepEqual(await credentials.sealedUnderOthers('', 10), []);
    });

    test('secrets are taken under the current master key alone, and change over one by one', async (t) => {
      const { credentials, add } = await begin(t);
      assert.equal(await credentials.masterKeyId(), undefined);
      const [one, two] = [await add(), await add()];
      assert.equal(await credentials.masterKeyId(), 'k1');
      await credentials.useMasterKey('k2');
      await assert.rejects(add(), StaleMasterKey);
      await assert.rejects(
        credentials.update(one.id, () => ({ name: 'x' }), sealedBy('k1')),
        StaleMasterKey,
      );
      assert.equal((await credentials.find(one.id))?.name, null, 'nothing of it was stored');
      const stored = await credentials.sealedUnderOthers('k2', 10);
      assert.deepEqual(new Set(stored.map(({ id }) => id)), new Set([one.id, two.id]));
      assert.equal((await credentials.sealedUnderOthers('k2', 1)).length, 1);
      const before = await credentials.sealed(one.id);
      assert.ok(before);
      const after = sealedBy('k2');
      await assert.rejects(credentials.replaceSealed(one.id, before, sealedBy('k3')), StaleMasterKey);
      assert.equal(
        await credentials.replaceSealed(one.id, sealedBy('k1'), after),
        false,
        'not what is stored',
      );
      assert.equal(await credentials.replaceSealed(one.id, before, after), true);
      assert.deepEqual(await credentials.sealed(one.id), after);
      assert.deepEqual(
        (await credentials.sealedUnderOthers('k2', 10)).map(({ id }) => id),
        [two.id],
      );
    });
  });
}
