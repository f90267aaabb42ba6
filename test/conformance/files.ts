import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { type FileOwner, leastFile, type StoredFile } from '../../src/ports/files.ts';
import { account, type OpenStorage, wednesday, workspace } from './fixtures.ts';

const most = { files: 1_000, bytes: 10_000_000 };

/** What every FileStore must do. */
export function describeFiles(name: string, open: OpenStorage): void {
  async function begin(t: Parameters<OpenStorage>[0]) {
    const storage = await open(t);
    const owner = account();
    await storage.accounts.create(owner);
    const homes = [workspace(owner.id), workspace(owner.id)];
    for (const home of homes) await storage.workspaces.create(home);
    const [first, second] = homes.map(({ id }): FileOwner => ({ accountId: owner.id, workspaceId: id }));
    assert.ok(first && second);
    const { files } = storage;
    const add = async (
      place: FileOwner,
      contents: Uint8Array,
      more: Partial<StoredFile> = {},
      room = most,
    ) => {
      const file: StoredFile = {
        id: `file_hg_${randomUUID()}`,
        filename: 'Größe_100%.txt',
        mimeType: 'text/plain',
        size: contents.byteLength,
        hash: createHash('sha256').update(contents).digest('hex'),
        createdAt: wednesday,
        expiresAt: null,
        ...more,
      };
      const held = files.holdsContents ? contents : undefined;
      return { file, full: await files.add(place, file, held, room) };
    };
    return { storage, files, first, second, add };
  }

  describe(`files: ${name}`, () => {
    test('a file is found by its owner alone, with every byte', async (t) => {
      const { files, first, second, add } = await begin(t);
      for (const size of [0, 1, 768 * 1024, 2_000_001]) {
        const contents = randomBytes(size);
        const { file, full } = await add(first, contents);
        assert.equal(full, undefined);
        assert.deepEqual(await files.find(first, file.id, wednesday), file);
        assert.equal(await files.find(second, file.id, wednesday), undefined);
        assert.equal(await files.find({ ...first, workspaceId: null }, file.id, wednesday), undefined);
        if (!files.holdsContents) continue;
        const read = await files.contents(first, file.hash);
        assert.ok(read && Buffer.from(read).equals(contents));
        assert.equal(await files.contents(second, file.hash), undefined);
      }
    });

    test('the files of an owner take no more room than there is; what is over takes none', async (t) => {
      const { first, second, add } = await begin(t);
      const contents = randomBytes(6_000);
      const room = { files: 10, bytes: 10_000 };
      assert.equal((await add(first, contents, { expiresAt: wednesday + 1 }, room)).full, undefined);
      assert.equal((await add(first, contents, {}, room)).full, 'full');
      assert.equal((await add(second, contents, {}, room)).full, undefined);
      assert.equal((await add(first, contents, { createdAt: wednesday + 1 }, room)).full, undefined);
    });

    test('a small file counts as what a disk takes for it', async (t) => {
      const { first, add } = await begin(t);
      const room = { files: 10, bytes: 2 * leastFile };
      assert.equal((await add(first, randomBytes(3), {}, room)).full, undefined);
      assert.equal((await add(first, randomBytes(3), {}, room)).full, undefined);
      assert.equal((await add(first, randomBytes(0), {}, room)).full, 'full');
      assert.equal((await add(first, randomBytes(0), {}, { ...room, bytes: 3 * leastFile })).full, undefined);
    });

    test('an owner has no more files than it may, of many stored at once too', async (t) => {
      const { files, first, second, add } = await begin(t);
      const room = { files: 3, bytes: 10_000_000 };
      const stored = await Promise.all(Array.from({ length: 8 }, () => add(first, randomBytes(3), {}, room)));
      assert.equal(stored.filter(({ full }) => full === undefined).length, 3);
      assert.equal(stored.filter(({ full }) => full === 'too many').length, 5);
      assert.equal((await add(second, randomBytes(3), {}, room)).full, undefined);
      const one = stored.find(({ full }) => full === undefined);
      await files.remove(first, one?.file.id ?? '');
      assert.equal((await add(first, randomBytes(3), {}, room)).full, undefined);
    });

    test('files stored at the same time share the room', async (t) => {
      const { first, add } = await begin(t);
      const stored = await Promise.all(
        Array.from({ length: 8 }, () => add(first, randomBytes(5_000), {}, { files: 10, bytes: 16_000 })),
      );
      assert.equal(stored.filter(({ full }) => full === undefined).length, 3);
    });

    test('contents go with the last file that has them', async (t) => {
      const { files, first, add } = await begin(t);
      const contents = randomBytes(50);
      const [one, two] = [await add(first, contents), await add(first, contents)];
      const { hash } = one.file;
      assert.deepEqual(await files.remove(first, one.file.id), { hash, isLast: false });
      if (files.holdsContents) assert.ok(await files.contents(first, hash));
      assert.deepEqual(await files.remove(first, two.file.id), { hash, isLast: true });
      assert.equal(await files.contents(first, hash), undefined);
      assert.equal(await files.remove(first, two.file.id), undefined);
      assert.deepEqual(await files.used('none', [hash]), new Set());
    });

    test('pages follow each other in both directions, also among files of one moment', async (t) => {
      const { files, first, add } = await begin(t);
      const ids: string[] = [];
      for (let at = 0; at < 7; at += 1) {
        const createdAt = wednesday + Math.floor(at / 2);
        ids.push((await add(first, randomBytes(3), { createdAt, filename: `file ${at}.txt` })).file.id);
      }
      const now = wednesday + 100;
      const idsOf = (page: Awaited<ReturnType<typeof files.list>>) => page?.files.map(({ id }) => id) ?? [];
      for (const order of ['asc', 'desc'] as const) {
        const all = idsOf(await files.list(first, { limit: 100, order }, now));
        assert.deepEqual(new Set(all), new Set(ids));
        const walked: string[] = [];
        for (let after: string | undefined; ; ) {
          const page = await files.list(first, { limit: 3, order, ...(after && { after }) }, now);
          walked.push(...idsOf(page));
          after = walked.at(-1);
          if (page?.hasMore !== true) break;
        }
        assert.deepEqual(walked, all);
        const before = await files.list(first, { limit: 2, order, before: all[4] ?? '' }, now);
        assert.deepEqual([idsOf(before), before?.hasMore], [all.slice(2, 4), true]);
      }
      assert.equal(
        await files.list(first, { limit: 1, order: 'asc', after: 'file_hg_none' }, now),
        undefined,
      );
      const some = await files.list(first, { limit: 9, order: 'asc', name: 'FILE 3' }, now);
      assert.deepEqual(idsOf(some), [ids[3]]);
      assert.deepEqual(idsOf(await files.list(first, { limit: 9, order: 'asc', name: '%' }, now)), []);
    });

    test('the newest of a name is found; what is over is gone, and is named to be removed', async (t) => {
      const { files, first, add } = await begin(t);
      const filename = 'notes.md';
      await add(first, randomBytes(3), { filename });
      const newer = await add(first, randomBytes(3), { filename, createdAt: wednesday + 5 });
      const over = await add(first, randomBytes(3), {
        createdAt: wednesday + 9,
        expiresAt: wednesday + 10,
        filename,
      });
      assert.equal((await files.findByName(first, filename, wednesday + 9))?.id, over.file.id);
      assert.equal((await files.findByName(first, filename, wednesday + 10))?.id, newer.file.id);
      assert.equal(await files.find(first, over.file.id, wednesday + 10), undefined);
      assert.deepEqual(await files.expired(wednesday + 9, 5), []);
      assert.deepEqual(await files.expired(wednesday + 10, 5), [{ ...first, id: over.file.id }]);
    });

    test('files go with their workspace', async (t) => {
      const { storage, files, first, add } = await begin(t);
      const { file } = await add(first, randomBytes(9));
      const { accountId, workspaceId } = first;
      const options = { evenDefault: true, now: wednesday };
      assert.equal(await storage.workspaces.delete(accountId, workspaceId ?? '', options), 'deleted');
      assert.equal(await files.find(first, file.id, wednesday), undefined);
      assert.equal(await files.contents(first, file.hash), undefined);
    });
  });
}
