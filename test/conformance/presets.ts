import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { PresetChange, PresetStore } from '../../src/ports/presets.ts';
import { account, type OpenStorage, wednesday, workspace } from './fixtures.ts';

const limits = { presets: 3, versions: 4, bytes: 10_000 };

/** What every PresetStore must do. */
export function describePresets(name: string, open: OpenStorage): void {
  async function begin(t: Parameters<OpenStorage>[0]) {
    const { accounts, workspaces, presets } = await open(t);
    const owner = account();
    await accounts.create(owner);
    const home = workspace(owner.id);
    await workspaces.create(home);
    const place = { accountId: owner.id, workspaceId: home.id };
    const save = (store: PresetStore, slug: string, config: Record<string, unknown> = {}, now = wednesday) =>
      store.save(
        { ...place, id: randomUUID(), slug, creatorUserId: null },
        { id: randomUUID(), creatorId: 'k', systemPrompt: 'Zoë\'s "x"', config },
        now,
        limits,
      );
    return { workspaces, presets, place, save };
  }

  describe(`presets: ${name}`, () => {
    test('a preset is created with its first version, and found in its workspace alone', async (t) => {
      const { presets, place, save } = await begin(t);
      const saved = await save(presets, 'one', { model: 'a/b', nested: { list: [1, null] } });
      assert.deepEqual(saved, await presets.find(place, 'one'));
      assert.ok(typeof saved === 'object');
      const { designated, status, createdAt, statusUpdatedAt } = saved;
      assert.deepEqual(
        [status, createdAt, statusUpdatedAt, designated.version],
        ['active', wednesday, null, 1],
      );
      assert.deepEqual(
        [designated.systemPrompt, designated.config],
        ['Zoë\'s "x"', { model: 'a/b', nested: { list: [1, null] } }],
      );
      assert.equal(await presets.find({ ...place, accountId: 'user_other' }, 'one'), undefined);
      assert.equal(await presets.find({ ...place, workspaceId: randomUUID() }, 'one'), undefined);
    });

    test('all versions of a workspace have a sum of bytes; what is over it leaves nothing behind', async (t) => {
      const { presets, place, save } = await begin(t);
      // Two bytes a letter, beside the system prompt and the name of the member.
      const config = { text: 'ß'.repeat(2_400) };
      assert.equal(typeof (await save(presets, 'one', config)), 'object');
      assert.equal(typeof (await save(presets, 'one', config)), 'object');
      assert.equal(await save(presets, 'one', config), 'too many bytes');
      assert.equal(await save(presets, 'two', config), 'too many bytes');
      assert.equal(await presets.find(place, 'two'), undefined);
      assert.equal((await presets.find(place, 'one'))?.designated.version, 2);
      assert.equal(typeof (await save(presets, 'two', {})), 'object');
    });

    test('versions saved at once are all kept, and the newest one is designated', async (t) => {
      const { presets, place, save } = await begin(t);
      await Promise.all([0, 1, 2, 3].map((n) => save(presets, 'one', { n }, wednesday + n)));
      const found = await presets.find(place, 'one');
      assert.equal(found?.designated.version, 4);
      const { versions, total } = await presets.versions(found.id, { offset: 1, limit: 2 });
      assert.deepEqual([total, ...versions.map(({ version }) => version)], [4, 3, 2]);
      assert.equal((await presets.version(found.id, 1))?.presetId, found.id);
      assert.equal(await presets.version(found.id, 5), undefined);
      assert.equal(await save(presets, 'one'), 'too many versions');
    });

    test('presets are listed by slug, up to their limit', async (t) => {
      const { presets, place, save } = await begin(t);
      for (const slug of ['b', 'c', 'a']) await save(presets, slug);
      assert.equal(await save(presets, 'd'), 'too many presets');
      const page = await presets.list({ ...place, offset: 1, limit: 5 });
      assert.deepEqual([page.total, ...page.presets.map(({ slug }) => slug)], [3, 'b', 'c']);
    });

    test('name, description and status change; the time of the status only with it', async (t) => {
      const { presets, place, save } = await begin(t);
      await save(presets, 'one');
      const change = async (to: PresetChange, at: number) => {
        const changed = await presets.update(place, 'one', to, wednesday + at);
        return typeof changed === 'object' ? changed : undefined;
      };
      const named = await change({ name: 'N', description: 'D' }, 1);
      assert.deepEqual([named?.name, named?.description, named?.statusUpdatedAt], ['N', 'D', null]);
      const archived = await change({ status: 'archived' }, 2);
      assert.deepEqual([archived?.status, archived?.statusUpdatedAt], ['archived', wednesday + 2]);
      assert.deepEqual(await presets.find(place, 'one'), archived);
      assert.equal(await presets.update(place, 'two', { name: 'N' }, wednesday), undefined);
    });

    test('an older version is designated; one of another preset changes nothing', async (t) => {
      const { presets, place, save } = await begin(t);
      const first = await save(presets, 'one', { n: 1 });
      await save(presets, 'one', { n: 2 });
      const other = await save(presets, 'two');
      assert.ok(typeof first === 'object' && typeof other === 'object');
      const to = (id: string) => presets.update(place, 'one', { designatedVersionId: id }, wednesday + 1);
      assert.equal(await to(other.designated.id), 'no such version');
      assert.equal((await presets.find(place, 'one'))?.designated.version, 2);
      const changed = await to(first.designated.id);
      assert.deepEqual(changed, await presets.find(place, 'one'));
      assert.ok(typeof changed === 'object');
      assert.deepEqual([changed.designated.config, changed.updatedAt], [{ n: 1 }, wednesday + 1]);
      const third = await save(presets, 'one', { n: 3 });
      assert.ok(typeof third === 'object' && third.designated.version === 3);
    });

    test('a workspace that is deleted takes its presets along', async (t) => {
      const { workspaces, presets, place, save } = await begin(t);
      await save(presets, 'one');
      await workspaces.delete(place.accountId, place.workspaceId, { evenDefault: true, now: wednesday });
      assert.equal(await presets.find(place, 'one'), undefined);
      assert.equal(await save(presets, 'one'), 'no workspace');
    });
  });
}
