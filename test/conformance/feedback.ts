import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Feedback } from '../../src/ports/feedback.ts';
import { account, type OpenStorage, unique, wednesday } from './fixtures.ts';

const keyHash = 'a'.repeat(64);

/** What every FeedbackStore must do. */
export function describeFeedback(name: string, open: OpenStorage): void {
  async function begin(t: Parameters<OpenStorage>[0]) {
    const { accounts, feedback } = await open(t);
    const owner = account();
    await accounts.create(owner);
    const one = (change: Partial<Feedback> = {}): Feedback => ({
      generationId: unique('gen_'),
      accountId: owner.id,
      keyHash,
      workspaceId: 'w1',
      model: 'acme/atlas-4',
      preset: null,
      at: wednesday,
      rating: null,
      score: null,
      verdict: null,
      category: null,
      tags: [],
      comment: null,
      ...change,
    });
    return { owner, feedback, one };
  }

  describe(`feedback: ${name}`, () => {
    test('is found as it was given, and the same key gives it anew', async (t) => {
      const { owner, feedback, one } = await begin(t);
      const first = one({
        score: 250,
        verdict: 'bad',
        category: 'latency',
        preset: 'fast',
        tags: ['a "b"', 'Zoë; --'],
        comment: { sealed: 'eA==', dayKeyId: 'k', expiresAt: wednesday + 1 },
      });
      await feedback.put(first);
      const { generationId } = first;
      assert.deepEqual(await feedback.of(owner.id, generationId), [first]);
      assert.deepEqual(await feedback.of('org_other', generationId), []);
      const again = one({ generationId, rating: 1, verdict: 'good', at: wednesday + 5, preset: 'fast' });
      await feedback.put(again);
      assert.deepEqual(await feedback.of(owner.id, generationId), [again]);
      const other = one({ generationId, keyHash: 'b'.repeat(64), at: wednesday + 9, verdict: 'neither' });
      await feedback.put(other);
      assert.deepEqual(await feedback.of(owner.id, generationId), [other, again]);
      assert.deepEqual(await feedback.of(owner.id, generationId, keyHash), [again]);
      const silent = one({ category: 'other' });
      await feedback.put(silent);
      const found = await feedback.verdicts([generationId, silent.generationId, 'none']);
      assert.deepEqual([...found], [[generationId, 'neither']]);
      assert.equal((await feedback.verdicts([])).size, 0);
    });

    test('is summed by group, and comments go', async (t) => {
      const { owner, feedback, one } = await begin(t);
      const comment = { sealed: 'eA==', dayKeyId: 'k', expiresAt: 5 };
      await feedback.put(one({ verdict: 'good', rating: 1, comment }));
      await feedback.put(one({ verdict: 'bad', rating: -1, model: 'acme/swift-1', keyHash: 'b'.repeat(64) }));
      await feedback.put(one({ verdict: 'good', score: 900, at: wednesday + 1 }));
      await feedback.put(one({ category: 'billing', at: wednesday + 2 }));
      const range = { accountId: owner.id, from: wednesday, to: wednesday + 2, limit: 10 };
      assert.deepEqual(await feedback.sums({ ...range, by: 'model' }), [
        { value: 'acme/atlas-4', good: 2, neither: 0, bad: 0, total: 2 },
        { value: 'acme/swift-1', good: 0, neither: 0, bad: 1, total: 1 },
      ]);
      assert.deepEqual(await feedback.sums({ ...range, by: 'preset', keyHash }), [
        { value: '', good: 2, neither: 0, bad: 0, total: 2 },
      ]);
      assert.equal(await feedback.prune(4, 10), 0);
      assert.ok((await feedback.prune(5, 1_000)) >= 1);
    });
  });
}
