import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nanoFromInteger } from '../../src/core/money.ts';
import type { CachedHits } from '../../src/ports/cached-hits.ts';
import { dayLength, dayName, utcDay } from '../../src/util/utc-windows.ts';
import { account, apiKey, type OpenStorage, wednesday } from './fixtures.ts';

const quarter = 15 * 60_000;

/** What every CachedHitStore must do. */
export function describeCachedHits(name: string, open: OpenStorage): void {
  describe(`hits of cached answers: ${name}`, () => {
    test('hits add up by account, key, model and day, and by quarter of an hour', async (t) => {
      const { accounts, keys, cachedHits } = await open(t);
      const [owner, other] = [account(), account()];
      await accounts.create(owner);
      await accounts.create(other);
      const key = apiKey(owner.id, { label: 'sk-hg-...own' });
      await keys.create(key);
      const hits = (change: Partial<CachedHits> = {}): CachedHits => ({
        accountId: owner.id,
        keyHash: key.hash,
        workspaceId: 'space',
        model: 'acme/atlas-4',
        start: wednesday,
        hits: 1,
        saved: nanoFromInteger(70),
        ...change,
      });
      await cachedHits.add([]);
      await cachedHits.add([hits(), hits({ hits: 3, saved: nanoFromInteger(210) })]);
      await cachedHits.add([hits({ start: wednesday + quarter, model: 'acme/atlas-5' })]);
      await cachedHits.add([
        hits({ start: wednesday + dayLength, workspaceId: null, keyHash: 'of nobody' }),
        hits({ accountId: other.id, keyHash: 'another', saved: nanoFromInteger(9_000_000_000_000_000) }),
        hits({ start: wednesday - quarter }),
      ]);
      const told = async (...asked: Parameters<typeof cachedHits.groups>) =>
        (await cachedHits.groups(...asked)).map(({ group, hits: count, saved }) => [group, count, saved]);
      assert.deepEqual(await told(wednesday, 'model', owner.id), [
        ['acme/atlas-4', 5, 350n],
        ['acme/atlas-5', 1, 70n],
      ]);
      assert.deepEqual(await told(wednesday, 'day', owner.id), [
        [dayName(utcDay(wednesday)), 5, 350n],
        [dayName(utcDay(wednesday) + 1), 1, 70n],
      ]);
      assert.deepEqual(await told(wednesday, 'key', owner.id), [
        ['of nobody', 1, 70n],
        [key.label, 5, 350n],
      ]);
      const accountsTold = await told(wednesday, 'account');
      assert.deepEqual(accountsTold.map(([, count]) => count).sort(), [1, 6]);
      assert.ok(accountsTold.some(([, , saved]) => saved === 9_000_000_000_000_000n));

      const steps = async (filters: Parameters<typeof cachedHits.steps>[2]) =>
        (await cachedHits.steps(wednesday, wednesday + 2 * dayLength, filters)).map(
          ({ start, hits: count }) => [(start - wednesday) / quarter, count],
        );
      assert.deepEqual(await steps({ accountId: owner.id }), [
        [0, 4],
        [1, 1],
        [96, 1],
      ]);
      assert.deepEqual(await steps({ accountId: owner.id, workspaceId: 'space', model: 'acme/*' }), [
        [0, 4],
        [1, 1],
      ]);
      assert.deepEqual(await steps({ accountId: owner.id, model: 'acme/atlas-5' }), [[1, 1]]);
      assert.deepEqual(await steps({ keyHash: 'of nobody' }), [[96, 1]]);
    });
  });
}
