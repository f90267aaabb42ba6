import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Generation } from '../../src/ports/generations.ts';
import { account, apiKey, generation, type OpenStorage, usd, wednesday } from './fixtures.ts';

const day = 86_400_000;

/** What every GenerationStore must do. */
export function describeGenerations(name: string, open: OpenStorage): void {
  describe(`generations: ${name}`, () => {
    test('a generation is found as it was settled: unknown stays unknown, zero stays zero', async (t) => {
      const { generations, ledger } = await open(t);
      const bare = generation();
      const full = fullGeneration();
      await Promise.all([ledger.settle(bare), ledger.settle(full)]);
      assert.deepEqual(await generations.find(bare.id), bare);
      assert.deepEqual(await generations.find(full.id), full);
      assert.equal(await generations.find('gen-none'), undefined);
    });

    test('counts and durations that are not whole do not keep a charge from being booked', async (t) => {
      const { generations, ledger } = await open(t);
      const odd = generation({ latency: 12.6, generationTime: Number.NaN, usage: { output: 1e300 } });
      await ledger.settle(odd);
      const { generationTime: _, ...rest } = odd;
      assert.deepEqual(await generations.find(odd.id), { ...rest, latency: 13, usage: {} });
    });

    test('an amount that no database could hold is refused alone', async (t) => {
      const { generations, ledger } = await open(t);
      const good = generation();
      const settled = [ledger.settle(generation({ cost: usd(2n ** 63n) })), ledger.settle(good)];
      const [refused, booked] = await Promise.allSettled(settled);
      assert.equal(refused?.status, 'rejected');
      assert.equal(booked?.status, 'fulfilled');
      assert.deepEqual(await generations.find(good.id), good);
    });

    test('free variants are counted by account and time, over all keys', async (t) => {
      const { generations, ledger } = await open(t);
      const settledAt = wednesday + 10;
      const made = { accountId: 'user_free', createdAt: wednesday, settledAt };
      const free = { ...made, requestedModel: 'acme/atlas-4:free' };
      await ledger.settle(generation({ ...free, createdAt: wednesday - 1 }));
      await ledger.settle(generation(free));
      await ledger.settle(generation({ ...free, keyHash: 'b'.repeat(64) }));
      await ledger.settle(generation({ ...made, requestedModel: 'acme/atlas-4', model: 'globex/ibis:free' }));
      await ledger.settle(generation({ ...made, requestedModel: 'acme/free' }));
      await ledger.settle(generation({ ...free, accountId: 'user_other' }));
      assert.equal(await generations.countFree('user_free', wednesday), 3);
      assert.equal(await generations.countFree('user_nobody', 0), 0);
    });

    test('usage is summed by model and provider, dearest first', async (t) => {
      const { generations, ledger } = await open(t);
      const atlas = { model: 'acme/atlas-4', provider: 'northgpu' };
      const usage = { uncachedInput: 10, cacheRead: 20, cacheWrite: 3, cacheWriteLong: 4, audioInput: 5 };
      await ledger.settle(
        generation({ ...atlas, cost: usd(5), usage: { ...usage, output: 7, reasoning: 2 } }),
      );
      await ledger.settle(generation({ ...atlas, cost: usd(6), usage: { output: 1 } }));
      await ledger.settle(generation({ model: 'acme/big', provider: 'southgpu', cost: usd(100) }));
      await ledger.settle(generation({ requestedModel: 'acme/unreached', cost: usd(0) }));
      const big = {
        requests: 1,
        inputTokens: 0,
        cachedTokens: 0,
        outputTokens: 0,
        reasoningTokens: 0,
        cost: usd(100),
      };
      const small = {
        requests: 2,
        inputTokens: 42,
        cachedTokens: 20,
        outputTokens: 8,
        reasoningTokens: 2,
        cost: usd(11),
      };
      const none = { ...big, cost: usd(0) };
      assert.deepEqual(await generations.usage(0, 'model'), [
        { group: 'acme/big', ...big },
        { group: 'acme/atlas-4', ...small },
        { group: 'acme/unreached', ...none },
      ]);
      assert.deepEqual(await generations.usage(0, 'provider'), [
        { group: 'southgpu', ...big },
        { group: 'northgpu', ...small },
        { group: 'none', ...none },
      ]);
    });

    test('usage of one account holds nothing of another', async (t) => {
      const { generations, ledger } = await open(t);
      await ledger.settle(generation({ accountId: 'user_one', cost: usd(3) }));
      await ledger.settle(generation({ accountId: 'user_two', cost: usd(5) }));
      const sums = async (accountId?: string) =>
        (await generations.usage(0, 'account', accountId)).map(({ group, cost }) => [group, cost]);
      assert.deepEqual(await sums(), [
        ['user_two', usd(5)],
        ['user_one', usd(3)],
      ]);
      assert.deepEqual(await sums('user_one'), [['user_one', usd(3)]]);
      assert.deepEqual(await sums('user_none'), []);
    });

    test('usage by day runs from the oldest day, and begins with the instant asked for', async (t) => {
      const { generations, ledger } = await open(t);
      const midnight = Date.UTC(2026, 10, 18);
      for (const settledAt of [midnight - day, midnight - 1, midnight, midnight + 5, midnight + day]) {
        await ledger.settle(generation({ settledAt, cost: usd(10) }));
      }
      const counts = async (since: number) =>
        (await generations.usage(since, 'day')).map((row) => [row.group, row.requests, row.cost]);
      assert.deepEqual(await counts(0), [
        ['2026-11-17', 2, 20n],
        ['2026-11-18', 2, 20n],
        ['2026-11-19', 1, 10n],
      ]);
      assert.deepEqual(await counts(midnight + 5), [
        ['2026-11-18', 1, 10n],
        ['2026-11-19', 1, 10n],
      ]);
      assert.deepEqual(await counts(midnight + 2 * day), []);
    });

    test('usage by key shows labels, of deleted keys too, and the hash of a key nobody knows', async (t) => {
      const { accounts, generations, keys, ledger } = await open(t);
      const owner = account();
      await accounts.create(owner);
      const key = apiKey(owner.id, { label: 'sk-hg-v1-aaa...zzz' });
      await keys.create(key);
      await ledger.settle(generation({ keyHash: key.hash, cost: usd(2) }));
      await ledger.settle(generation({ keyHash: 'nobody', cost: usd(1) }));
      await keys.delete(key.hash, wednesday);
      const groups = (await generations.usage(0, 'key')).map((row) => row.group);
      assert.deepEqual(groups, ['sk-hg-v1-aaa...zzz', 'nobody']);
    });

    test('keys that happen to have the same label are not one key', async (t) => {
      const { accounts, generations, keys, ledger } = await open(t);
      const owner = account();
      await accounts.create(owner);
      for (const cost of [usd(5), usd(3)]) {
        const key = apiKey(owner.id, { label: '...' });
        await keys.create(key);
        await ledger.settle(generation({ accountId: owner.id, keyHash: key.hash, cost }));
      }
      const rows = (await generations.usage(0, 'key')).map((row) => [row.group, row.requests, row.cost]);
      assert.deepEqual(rows, [
        ['...', 1, 5n],
        ['...', 1, 3n],
      ]);
    });

    test('usage sums are exact beyond 2^53', async (t) => {
      const { generations, ledger } = await open(t);
      await ledger.settle(generation({ cost: usd(9_007_199_254_740_993n) }));
      await ledger.settle(generation({ cost: usd(2n) }));
      assert.equal((await generations.usage(0, 'day'))[0]?.cost, 9_007_199_254_740_995n);
    });
  });
}

function fullGeneration(): Generation {
  return generation({
    workspaceId: 'workspace-1',
    model: 'acme/atlas-4',
    provider: 'northgpu',
    endpointTag: 'northgpu/fp8',
    upstreamId: 'chatcmpl-1',
    sessionId: 'session "1"',
    externalUser: 'user\u0000with nul \u{1f600}',
    httpReferer: '',
    appTitle: "Bobby'); drop table generations; --",
    userAgent: 'client/1.0',
    serviceTier: 'flex',
    isByok: true,
    streamed: true,
    cancelled: true,
    finishReason: 'stop',
    nativeFinishReason: 'end_turn',
    errorType: 'provider_unavailable',
    latency: 0,
    generationTime: 1800,
    usage: {
      uncachedInput: 0,
      cacheRead: 1,
      cacheWrite: 2,
      cacheWriteLong: 3,
      audioInput: 4,
      output: 5,
      reasoning: 0,
    },
    usageEstimated: true,
    insured: true,
    unpriced: true,
    cost: usd(0),
    listCost: usd(9_223_372_036_854_775_807n),
    attempts: [
      { provider: 'southgpu', model: 'acme/atlas-4', tag: 'southgpu', status: 529, latency: 12 },
      { provider: 'northgpu', model: 'acme/atlas-4', tag: 'northgpu/fp8', status: 200, latency: 0 },
    ],
  });
}
