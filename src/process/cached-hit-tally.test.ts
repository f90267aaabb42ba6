import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanoFromInteger } from '../core/money.ts';
import type { CachedHitStore, CachedHits } from '../ports/cached-hits.ts';
import { CachedHitTally } from './cached-hit-tally.ts';

const hit = {
  accountId: 'a',
  keyHash: 'k',
  workspaceId: null,
  model: 'm',
  saved: nanoFromInteger(5),
  at: 900_001,
};

/** A store that is away as long as a test wants. */
function storeOf() {
  const stored: CachedHits[][] = [];
  const state = { isAway: false };
  const store: CachedHitStore = {
    add: (hits) => {
      if (state.isAway) return Promise.reject(new Error('away'));
      stored.push([...hits]);
      return Promise.resolve();
    },
    groups: () => Promise.resolve([]),
    steps: () => Promise.resolve([]),
  };
  return { store, stored, state };
}

test('hits of one quarter of an hour are stored as one, with the rest at the end', async () => {
  const { store, stored } = storeOf();
  const tally = new CachedHitTally(store, (reason) => assert.fail(String(reason)), 60_000);
  for (let times = 0; times < 3; times += 1) tally.add(hit);
  await tally.store();
  tally.add({ ...hit, at: 1_800_000 });
  await tally.close();
  assert.deepEqual(
    stored.flat().map(({ start, hits, saved }) => [start, hits, saved]),
    [
      [900_000, 3, 15n],
      [1_800_000, 1, 5n],
    ],
  );
});

test('what cannot be stored is kept up to a bound, and stored once', async () => {
  const { store, stored, state } = storeOf();
  const failures: unknown[] = [];
  const tally = new CachedHitTally(store, (reason) => failures.push(reason), 60_000);
  state.isAway = true;
  for (let key = 0; key < 10_005; key += 1) tally.add({ ...hit, keyHash: `k${key}` });
  await tally.store();
  tally.add({ ...hit, keyHash: 'k0' });
  assert.equal(failures.length, 1);
  assert.equal(tally.dropped, 5);
  state.isAway = false;
  await tally.close();
  const hits = stored.flat();
  assert.equal(hits.length, 10_000);
  assert.equal(hits.find(({ keyHash }) => keyHash === 'k0')?.hits, 2);
});
