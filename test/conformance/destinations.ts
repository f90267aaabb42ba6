import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { type SealedSecret, StaleMasterKey } from '../../src/ports/credentials.ts';
import type { Destination, DestinationHealth } from '../../src/ports/destinations.ts';
import { account, type OpenStorage, testDestination, unique, wednesday, workspace } from './fixtures.ts';

const sealedBy = (masterKeyId: string): SealedSecret => ({
  ciphertext: unique('Y2lwaGVy'),
  nonce: unique('bm9uY2U'),
  masterKeyId,
});

/** What every DestinationStore must do. */
export function describeDestinations(name: string, open: OpenStorage): void {
  async function begin(t: Parameters<OpenStorage>[0]) {
    const { accounts, credentials, workspaces, destinations } = await open(t);
    const owner = account();
    await accounts.create(owner);
    for (const id of ['w1', 'w2']) await workspaces.create(workspace(owner.id, { id, broadcast: true }));
    const add = async (change: Partial<Destination> = {}, sealed = sealedBy('k1'), most = 5) => {
      const one = testDestination({ accountId: owner.id, ...change });
      return { one, sealed, made: await destinations.create(one, sealed, most) };
    };
    const activeIds = async () => (await destinations.active()).map(({ destination }) => destination.id);
    return { owner, accounts, credentials, workspaces, destinations, add, activeIds };
  }

  describe(`destinations: ${name}`, () => {
    test('one is found as it was created, by its account alone', async (t) => {
      const { owner, destinations, add } = await begin(t);
      const { one, sealed, made } = await add({
        name: `Zoë's "x"; drop table accounts; -- \u{1f600}`,
        enabled: false,
        keyHashes: ['f'.repeat(64)],
        samplingRate: 0.25,
        privacyMode: true,
        sendsCost: true,
        sendsIdentity: true,
        sendsContext: true,
        filterRules: {
          enabled: true,
          groups: [{ logic: 'or', rules: [{ field: 'total_cost', operator: 'gt', value: 0.5 }] }],
        },
        config: { url: 'https://ours.example', headers: { 'x-é': '***' } },
      });
      assert.deepEqual(made, one);
      assert.deepEqual(await destinations.find(owner.id, one.id), one);
      assert.equal(await destinations.find('org_other', one.id), undefined);
      assert.equal(await destinations.find(owner.id, randomUUID()), undefined);
      assert.deepEqual(await destinations.sealed(one.id), sealed);
    });

    test('a workspace has so many of a type, however many are created at once', async (t) => {
      const { destinations, owner, add } = await begin(t);
      const made = await Promise.all(Array.from({ length: 8 }, () => add({}, sealedBy('k1'), 3)));
      assert.equal(made.filter((one) => one.made !== undefined).length, 3);
      assert.ok((await add({ type: 'langfuse' }, sealedBy('k1'), 3)).made, 'another type');
      assert.ok((await add({ workspaceId: 'w2' }, sealedBy('k1'), 3)).made, 'another workspace');
      const first = made.find((one) => one.made !== undefined)?.one.id ?? '';
      assert.equal(await destinations.delete(owner.id, first, wednesday), true);
      assert.ok((await add({}, sealedBy('k1'), 3)).made, 'one was deleted');
      await assert.rejects(add({ workspaceId: 'none' }), { code: 'invalid_request' });
    });

    test('lists: by age, in pages, of a workspace or all of an account', async (t) => {
      const { owner, accounts, destinations, workspaces, add } = await begin(t);
      const stranger = account();
      await accounts.create(stranger);
      await workspaces.create(workspace(stranger.id, { id: 'w9' }));
      const late = (await add({ createdAt: wednesday + 2 })).one;
      const early = (await add({ createdAt: wednesday })).one;
      const other = (await add({ createdAt: wednesday + 1, workspaceId: 'w2' })).one;
      await add({ accountId: stranger.id, workspaceId: 'w9' });
      const ids = async (query: { workspaceId?: string; offset?: number; limit?: number }) => {
        const found = await destinations.list({ accountId: owner.id, offset: 0, limit: 50, ...query });
        return [found.total, ...found.destinations.map(({ id }) => id)];
      };
      assert.deepEqual(await ids({}), [3, early.id, other.id, late.id]);
      assert.deepEqual(await ids({ offset: 1, limit: 1 }), [3, other.id]);
      assert.deepEqual(await ids({ workspaceId: 'w1' }), [2, early.id, late.id]);
      assert.deepEqual(await ids({ workspaceId: 'w9' }), [0]);
    });

    test('a change touches what it names, and is later than the one before it', async (t) => {
      const { owner, destinations, add } = await begin(t);
      const { one, sealed } = await add({ keyHashes: ['a'.repeat(64)] });
      const place = { accountId: owner.id, id: one.id };
      const renamed = await destinations.update(place, { name: 'New', keyHashes: null }, wednesday);
      assert.deepEqual(renamed, { ...one, name: 'New', keyHashes: null, updatedAt: wednesday + 1 });
      assert.deepEqual(await destinations.find(owner.id, one.id), renamed);
      assert.deepEqual(await destinations.sealed(one.id), sealed, 'its config stayed');
      const renewed = sealedBy('k1');
      const moved = await destinations.update(place, { config: { url: 'b' } }, wednesday + 9, renewed);
      assert.deepEqual([moved?.config, moved?.updatedAt], [{ url: 'b' }, wednesday + 9]);
      assert.deepEqual(await destinations.sealed(one.id), renewed);
      assert.equal(await destinations.update({ ...place, accountId: 'org_other' }, {}, wednesday), undefined);
      const many = Array.from({ length: 10 }, () => destinations.update(place, { enabled: true }, wednesday));
      const times = (await Promise.all(many)).map((changed) => changed?.updatedAt);
      assert.equal(new Set(times).size, 10, 'each change can be told from the others');
    });

    test('those get traces that are enabled, in workspaces that broadcast', async (t) => {
      const { owner, destinations, workspaces, add, activeIds } = await begin(t);
      const empty = await destinations.activeVersion();
      assert.deepEqual([empty, await activeIds()], ['', []]);
      const { one, sealed } = await add();
      const off = (await add({ workspaceId: 'w2', enabled: false })).one;
      assert.deepEqual(await destinations.active(), [{ destination: one, sealed }]);
      const versions = [empty, await destinations.activeVersion()];
      const note = async () => versions.push(await destinations.activeVersion());
      await destinations.update({ accountId: owner.id, id: off.id }, { enabled: true }, wednesday);
      await note();
      assert.deepEqual(await activeIds(), [one.id, off.id].toSorted());
      await destinations.update({ accountId: owner.id, id: one.id }, { name: 'x' }, wednesday);
      await note();
      await workspaces.update(owner.id, 'w1', { broadcast: false }, wednesday);
      await note();
      assert.deepEqual(await activeIds(), [off.id]);
      await destinations.delete(owner.id, off.id, wednesday);
      assert.equal(await destinations.activeVersion(), '');
      assert.equal(new Set(versions).size, versions.length, 'each of these is another text');
    });

    test('how sending goes is noted, and is no change of its owner', async (t) => {
      const { owner, destinations, add } = await begin(t);
      const { one } = await add();
      const version = await destinations.activeVersion();
      const health: DestinationHealth = { state: 'paused', status: 503, reason: 'status', at: wednesday + 5 };
      await destinations.noteHealth(one.id, health);
      assert.deepEqual(await destinations.find(owner.id, one.id), { ...one, health });
      assert.equal(await destinations.activeVersion(), version);
    });

    test('a deleted one is never found again and its secrets are gone, as are those of its workspace', async (t) => {
      const { owner, destinations, workspaces, add, activeIds } = await begin(t);
      const { one } = await add();
      const { one: other } = await add({ workspaceId: 'w2' });
      assert.equal(await destinations.delete('org_other', one.id, wednesday), false);
      assert.equal(await destinations.delete(owner.id, one.id, wednesday), true);
      assert.equal(await destinations.delete(owner.id, one.id, wednesday), false);
      assert.equal(await destinations.find(owner.id, one.id), undefined);
      assert.equal(await destinations.sealed(one.id), undefined);
      const place = { accountId: owner.id, id: one.id };
      assert.equal(await destinations.update(place, { name: 'x' }, wednesday), undefined);
      const deleted = await workspaces.delete(owner.id, 'w2', { evenDefault: false, now: wednesday });
      assert.equal(deleted, 'deleted');
      assert.equal(await destinations.find(owner.id, other.id), undefined);
      assert.equal(await destinations.sealed(other.id), undefined);
      assert.deepEqual(await destinations.sealedUnderOthers('', 10), []);
      assert.deepEqual(await activeIds(), []);
    });

    test('configs are taken under the current master key alone, and change over one by one', async (t) => {
      const { credentials, destinations, owner, add } = await begin(t);
      const { one, sealed: before } = await add();
      const { one: two } = await add();
      await credentials.useMasterKey('k2');
      await assert.rejects(add(), StaleMasterKey);
      const place = { accountId: owner.id, id: one.id };
      await assert.rejects(
        destinations.update(place, { name: 'x' }, wednesday, sealedBy('k1')),
        StaleMasterKey,
      );
      assert.equal((await destinations.find(owner.id, one.id))?.name, 'Mine', 'nothing of it was stored');
      const stored = await destinations.sealedUnderOthers('k2', 10);
      assert.deepEqual(new Set(stored.map(({ id }) => id)), new Set([one.id, two.id]));
      assert.equal((await destinations.sealedUnderOthers('k2', 1)).length, 1);
      const after = sealedBy('k2');
      await assert.rejects(destinations.replaceSealed(one.id, before, sealedBy('k3')), StaleMasterKey);
      assert.equal(await destinations.replaceSealed(one.id, sealedBy('k1'), after), false);
      assert.equal(await destinations.replaceSealed(one.id, before, after), true);
      assert.deepEqual(await destinations.sealed(one.id), after);
      assert.deepEqual(
        (await destinations.sealedUnderOthers('k2', 10)).map(({ id }) => id),
        [two.id],
      );
    });
  });
}
