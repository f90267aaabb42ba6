import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Storage } from '../../src/ports/storage.ts';
import type { Workspace } from '../../src/ports/workspaces.ts';
import { testCredential } from '../support/credentials.ts';
import { account, apiKey, type OpenStorage, wednesday, workspace as workspaceOf } from './fixtures.ts';

const refusal = 'workspace_id: is no workspace of this account';

/** What lives in workspaces, not stored yet: how it is, and which one it is in. */
const makers = [
  ({ keys }: Storage, accountId: string, workspaceId: string | null) => {
    const key = apiKey(accountId, { workspaceId });
    const find = async () => (await keys.findWithAccount(key.hash))?.key;
    return { put: () => keys.create(key), workspaceId: async () => (await find())?.workspaceId };
  },
  ({ credentials }: Storage, accountId: string, workspaceId: string | null) => {
    const { sortOrder: _place, ...fresh } = testCredential({ accountId, workspaceId });
    const sealed = { ciphertext: 'Y2lwaGVy', nonce: 'bm9uY2U', masterKeyId: 'k1' };
    const find = () => credentials.find(fresh.id);
    return {
      put: () => credentials.create(fresh, sealed),
      workspaceId: async () => (await find())?.workspaceId,
    };
  },
];

/** What goes wrong when all are done at once, besides what may. */
async function failuresOf(steps: readonly (() => Promise<unknown>)[], allowed: string): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(steps.map((step) => step()));
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  return failures.filter((failure) => !(failure instanceof Error && failure.message === allowed));
}

/** What every WorkspaceStore must do. */
export function describeWorkspaces(name: string, open: OpenStorage): void {
  async function begin(t: Parameters<OpenStorage>[0]) {
    const { accounts, keys, workspaces } = await open(t);
    const owner = account();
    await accounts.create(owner);
    const workspace = (change: Partial<Workspace> = {}) => workspaceOf(owner.id, change);
    return { owner, accounts, keys, workspaces, workspace };
  }
  const deletion = { evenDefault: false, now: wednesday };

  describe(`workspaces: ${name}`, () => {
    test('one is found by id and slug as it was created, in its account alone', async (t) => {
      const { owner, accounts, workspaces, workspace } = await begin(t);
      const rich = workspace({
        name: `Zoë's "x"`,
        description: 'd',
        defaultTextModel: 'a/b',
        defaultImageModel: 'c/d',
        defaultProviderSort: 'price',
        disabledServerTools: ['service:web_search'],
        ioLogging: true,
        broadcast: true,
        dataDiscountLogging: true,
        ioLoggingSamplingRate: 0.25,
        ioLoggingKeyIds: [1, 2],
        createdBy: 'user_1',
      });
      assert.equal(await workspaces.create(rich), undefined);
      assert.deepEqual(await workspaces.find(owner.id, rich.id), rich);
      assert.deepEqual(await workspaces.find(owner.id, rich.slug), rich);
      const stranger = account();
      await accounts.create(stranger);
      assert.equal(await workspaces.find(stranger.id, rich.id), undefined);
      const given = await workspaces.find(owner.id, 'default');
      assert.equal(given?.id, owner.defaultWorkspaceId, 'comes with the account');
      const { workspaces: page, total } = await workspaces.list({ accountId: owner.id, offset: 1, limit: 5 });
      assert.deepEqual([total, page.length], [2, 1]);
    });

    test('slugs are unique in an account, also when they are taken at the same moment', async (t) => {
      const { accounts, workspaces, workspace, owner } = await begin(t);
      const outcomes = await Promise.all([1, 2, 3].map(() => workspaces.create(workspace({ slug: 'one' }))));
      assert.equal(outcomes.filter((outcome) => outcome === undefined).length, 1);
      const other = workspace();
      await workspaces.create(other);
      assert.equal(await workspaces.update(owner.id, other.id, { slug: 'one' }, 1), 'slug taken');
      assert.equal((await workspaces.find(owner.id, other.id))?.slug, other.slug);
      const stranger = account();
      await accounts.create(stranger);
      assert.equal(await workspaces.create(workspace({ accountId: stranger.id, slug: 'one' })), undefined);
    });

    test('a change touches what it names', async (t) => {
      const { workspaces, workspace, owner } = await begin(t);
      const made = workspace({ description: 'd', broadcast: true });
      await workspaces.create(made);
      const changed = await workspaces.update(
        owner.id,
        made.id,
        { name: 'South', description: null, broadcast: undefined },
        wednesday + 1,
      );
      assert.deepEqual(changed, { ...made, name: 'South', description: null, updatedAt: wednesday + 1 });
      assert.deepEqual(await workspaces.find(owner.id, made.id), changed);
      assert.equal(await workspaces.update(owner.id, 'none', {}, 1), undefined);
    });

    test('one with a key that works stays; the default one goes when that is confirmed', async (t) => {
      const { accounts, keys, workspaces, workspace, owner } = await begin(t);
      const made = workspace();
      await workspaces.create(made);
      const key = apiKey(owner.id, { workspaceId: made.id });
      await keys.create(key);
      await keys.create(apiKey(owner.id, { workspaceId: made.id, expiresAt: wednesday }));
      assert.equal(await workspaces.delete(owner.id, made.id, deletion), 'has keys');
      await keys.update(key.hash, { disabled: true }, wednesday);
      assert.equal(await workspaces.delete(owner.id, made.id, deletion), 'deleted');
      assert.equal(await workspaces.delete(owner.id, made.id, deletion), undefined);
      assert.equal((await keys.findWithAccount(key.hash))?.key.workspaceId, made.id, 'says where it was');
      const first = String(owner.defaultWorkspaceId);
      assert.equal(await workspaces.delete(owner.id, first, deletion), 'is the default');
      assert.equal(await workspaces.delete(owner.id, first, { ...deletion, evenDefault: true }), 'deleted');
      assert.equal((await accounts.find(owner.id))?.defaultWorkspaceId, null);
    });

    test('nothing is put into a workspace that is not there', async (t) => {
      const storage = await open(t);
      const [owner, stranger] = [account(), account()];
      for (const one of [owner, stranger]) await storage.accounts.create(one);
      for (const make of makers) {
        const free = make(storage, owner.id, null);
        await free.put();
        assert.equal(await free.workspaceId(), null);
        for (const id of ['none', String(stranger.defaultWorkspaceId)]) {
          await assert.rejects(make(storage, owner.id, id).put(), { message: refusal });
        }
      }
    });

    test('nothing is left in a workspace that goes at the same moment', async (t) => {
      const storage = await open(t);
      const owner = account();
      await storage.accounts.create(owner);
      for (const putFirst of [true, false, true, false, true, false]) {
        for (const make of makers) {
          const { id } = workspaceOf(owner.id);
          await storage.workspaces.create(workspaceOf(owner.id, { id }));
          const made = make(storage, owner.id, id);
          const steps = [made.put, () => storage.workspaces.delete(owner.id, id, deletion)];
          if (!putFirst) steps.reverse();
          assert.deepEqual(await failuresOf(steps, refusal), []);
          const isThere = (await storage.workspaces.find(owner.id, id)) !== undefined;
          assert.equal(await made.workspaceId(), isThere ? id : undefined);
        }
      }
    });
  });
}
