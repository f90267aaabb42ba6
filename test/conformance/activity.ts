import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ActivityQuery } from '../../src/ports/activity.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { account, apiKey, generation, type OpenStorage, usd, wednesday } from './fixtures.ts';

const dayLength = 86_400_000;
const today = Math.floor(wednesday / dayLength);
const midnight = today * dayLength;

const atlas = { model: 'acme/atlas-4', provider: 'northgpu', endpointTag: 'northgpu' };
const big = { model: 'acme/big', provider: 'southgpu', endpointTag: 'southgpu/fp8' };

/** What every ActivityStore must do. */
export function describeActivity(name: string, open: OpenStorage): void {
  describe(`activity: ${name}`, () => {
    test('calls are summed by day, model and endpoint; what reached nobody is left out', async (t) => {
      const { activity, ledger } = await open(t);
      const usage = { uncachedInput: 10, cacheRead: 5, output: 7, reasoning: 2 };
      for (const call of [
        generation({ ...atlas, accountId: 'org_a', cost: usd(5), usage }),
        generation({ ...atlas, accountId: 'org_a', cost: usd(6), usage: { output: 1 } }),
        generation({ ...atlas, accountId: 'org_a', endpointTag: 'northgpu/fp8', cost: usd(1) }),
        generation({ ...big, accountId: 'org_a', isByok: true, cost: usd(3), listCost: usd(60) }),
        generation({ ...big, accountId: 'org_a', cost: usd(4), settledAt: wednesday - dayLength }),
        generation({ accountId: 'org_a', cost: usd(0) }),
        generation({ ...atlas, accountId: 'org_b' }),
      ]) {
        await ledger.settle(call);
      }
      const none = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0, byokCost: usd(0) };
      const tokens = { inputTokens: 15, cachedTokens: 5, outputTokens: 8, reasoningTokens: 2 };
      assert.deepEqual(await activity.activity(query()), [
        { ...none, ...tokens, ...atlas, day: today, requests: 2, cost: usd(11) },
        { ...none, ...atlas, day: today, endpointTag: 'northgpu/fp8', requests: 1, cost: usd(1) },
        { ...none, ...big, day: today, requests: 1, cost: usd(3), byokCost: usd(60) },
        { ...none, ...big, day: today - 1, requests: 1, cost: usd(4) },
      ]);
    });

    test('a day is that of UTC in which a call was settled, and both ends of a range belong to it', async (t) => {
      const storage = await open(t);
      const moments = [midnight - 1, midnight, midnight + dayLength - 1, midnight + dayLength];
      for (const settledAt of moments) {
        const call = { ...atlas, accountId: 'org_a', createdAt: settledAt - 1000, settledAt };
        await storage.ledger.settle(generation(call));
      }
      const days = (change: Partial<ActivityQuery>) => seen(storage, change, ({ day }) => day);
      assert.deepEqual(await days({ firstDay: today, lastDay: today }), [[today, 2]]);
      assert.deepEqual(await days({ firstDay: today - 1, lastDay: today }), [
        [today, 2],
        [today - 1, 1],
      ]);
      assert.deepEqual(await days({ firstDay: today + 2, lastDay: today + 3 }), []);
    });

    test('a key, whoever made it, and a workspace narrow what is summed; workspaces are kept apart when asked', async (t) => {
      const storage = await open(t);
      const owner = account({ id: 'org_a' });
      await storage.accounts.create(owner);
      const ofAnna = apiKey(owner.id, { creatorUserId: 'anna' });
      const ofBert = apiKey(owner.id, { creatorUserId: 'bert' });
      for (const key of [ofAnna, ofBert]) await storage.keys.create(key);
      for (const [key, workspaceId, calls] of [
        [ofAnna, 'north', 1],
        [ofAnna, 'south', 2],
        [ofBert, 'south', 4],
        [ofBert, null, 8],
      ] as const) {
        for (let count = 0; count < calls; count += 1) {
          const call = { ...atlas, accountId: owner.id, keyHash: key.hash, workspaceId };
          await storage.ledger.settle(generation(call));
        }
      }
      await storage.keys.delete(ofAnna.hash, wednesday);
      const requests = async (change: Partial<ActivityQuery>) =>
        (await seen(storage, change, () => 'all')).map(([, count]) => count);
      assert.deepEqual(await requests({}), [15]);
      assert.deepEqual(await requests({ keyHash: ofBert.hash }), [12]);
      assert.deepEqual(await requests({ creatorUserId: 'anna' }), [3], 'her key was deleted');
      assert.deepEqual(await requests({ creatorUserId: 'bert', workspaceId: 'south' }), [4]);
      assert.deepEqual(await requests({ keyHash: ofAnna.hash, creatorUserId: 'bert' }), []);
      const byWorkspace = await seen(storage, { byWorkspace: true }, ({ workspaceId }) => workspaceId);
      assert.deepEqual(
        new Map(byWorkspace),
        new Map([
          ['north', 1],
          ['south', 6],
          ['', 8],
        ]),
      );
    });
  });
}

function query(change: Partial<ActivityQuery> = {}): ActivityQuery {
  return { accountId: 'org_a', firstDay: today - 1, lastDay: today, byWorkspace: false, ...change };
}

type Row = Awaited<ReturnType<Storage['activity']['activity']>>[number];

/** How many requests each row counts, by what tells rows apart. */
async function seen<Name>(
  { activity }: Storage,
  change: Partial<ActivityQuery>,
  nameOf: (row: Row) => Name,
): Promise<[Name, number][]> {
  return (await activity.activity(query(change))).map((row) => [nameOf(row), row.requests]);
}
