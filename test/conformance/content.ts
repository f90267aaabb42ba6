import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SealedContent } from '../../src/ports/content.ts';
import { type SealedSecret, StaleMasterKey } from '../../src/ports/credentials.ts';
import { account, type OpenStorage, unique, wednesday } from './fixtures.ts';

const day = 86_400_000;
const sealedBy = (masterKeyId: string): SealedSecret => ({
  ciphertext: unique('Y2lwaGVy'),
  nonce: unique('bm9uY2U'),
  masterKeyId,
});

/** What every ContentStore must do. */
export function describeContent(name: string, open: OpenStorage): void {
  async function begin(t: Parameters<OpenStorage>[0]) {
    const { accounts, credentials, contents } = await open(t);
    const owner = account();
    await accounts.create(owner);
    const content = (change: Partial<SealedContent> = {}): SealedContent => ({
      generationId: unique('gen_'),
      accountId: owner.id,
      workspaceId: 'w1',
      keyHash: 'a'.repeat(64),
      at: wednesday,
      expiresAt: wednesday + 90 * day,
      dayKeyId: 'k1',
      sealed: Buffer.from(unique('sealed')).toString('base64'),
      ...change,
    });
    const ids = async (all: readonly SealedContent[], now = 0) => {
      const found = await Promise.all(all.map((one) => contents.find(one.accountId, one.generationId, now)));
      return found.map((one) => one !== undefined);
    };
    return { owner, accounts, credentials, contents, content, ids };
  }

  describe(`content: ${name}`, () => {
    test('is found as it was stored, by its account alone, until it is too old', async (t) => {
      const { owner, contents, content } = await begin(t);
      const [one, other] = [content(), content({ workspaceId: null })];
      await contents.add([]);
      await contents.add([one, other]);
      assert.deepEqual(await contents.find(owner.id, one.generationId, one.expiresAt - 1), one);
      assert.deepEqual(await contents.find(owner.id, other.generationId, 0), other);
      assert.equal(await contents.find(owner.id, one.generationId, one.expiresAt), undefined);
      assert.equal(await contents.find('org_other', one.generationId, 0), undefined);
      const again = { ...one, sealed: 'YWdhaW4=', dayKeyId: 'k2' };
      await contents.add([again]);
      assert.deepEqual(await contents.find(owner.id, one.generationId, 0), again);
    });

    test('is deleted one by one, or by what is named, some at a time', async (t) => {
      const { owner, contents, content, ids } = await begin(t);
      const all = [
        content({ keyHash: 'b'.repeat(64) }),
        content({ workspaceId: 'w2', at: wednesday + 1 }),
        content({ at: wednesday + 2 }),
      ];
      await contents.add(all);
      assert.equal(await contents.deleteOne('org_other', all[0]?.generationId ?? ''), false);
      const { id: accountId } = owner;
      assert.equal(await contents.delete({ accountId, keyHash: 'b'.repeat(64), before: wednesday }, 10), 0);
      assert.equal(await contents.delete({ accountId, keyHash: 'b'.repeat(64) }, 10), 1);
      assert.equal(await contents.delete({ accountId: 'org_other' }, 10), 0);
      assert.deepEqual(await ids(all), [false, true, true]);
      assert.equal(await contents.delete({ accountId, before: wednesday + 2 }, 10), 1);
      assert.equal(await contents.delete({ accountId, workspaceId: 'w2' }, 10), 0);
      assert.deepEqual(await ids(all), [false, false, true]);
      assert.equal(await contents.deleteOne(accountId, all[2]?.generationId ?? ''), true);
      await contents.add(all);
      assert.equal(await contents.delete({ accountId }, 2), 2);
      assert.deepEqual(await ids(all), [false, false, true], 'the oldest first');
    });

    test('a day has one key, whoever was first, and loses it once nothing needs it', async (t) => {
      const { owner, credentials, contents, content } = await begin(t);
      const masterKeyId = unique('m');
      await credentials.useMasterKey(masterKeyId);
      const today = Math.floor(wednesday / day);
      const keep = (id: string, sealed = sealedBy(masterKeyId)) =>
        contents.keepDayKey({ id, accountId: owner.id, day: today }, sealed);
      const sealed = sealedBy(masterKeyId);
      const [first, second] = [unique('first'), unique('second')];
      assert.deepEqual(await keep(first, sealed), { id: first, accountId: owner.id, sealed });
      assert.deepEqual(await keep(second), { id: first, accountId: owner.id, sealed });
      assert.equal(await contents.dayKey(second), undefined);
      await assert.rejects(keep(unique('third'), sealedBy('another')), StaleMasterKey);

      const others = await contents.sealedUnderOthers('another', 1_000);
      assert.ok(others.some(({ id }) => id === first));
      const next = sealedBy(masterKeyId);
      assert.equal(await contents.replaceSealed(first, sealedBy(masterKeyId), next), false);
      assert.equal(await contents.replaceSealed(first, sealed, next), true);
      assert.deepEqual((await contents.dayKey(first))?.sealed, next);

      const one = content({ dayKeyId: first });
      await contents.add([one]);
      await contents.prune(one.expiresAt - 1, 10);
      assert.ok(await contents.dayKey(first));
      assert.ok((await contents.prune(one.expiresAt, 1_000)) >= 1);
      assert.equal(await contents.dayKey(first), undefined);
    });
  });
}
