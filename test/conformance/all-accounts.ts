import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { operator } from '../../src/management/actor.ts';
import { AllAccountsUsage } from '../../src/management/usage/all-accounts-usage.ts';
import { type SeriesGroup, type SeriesQuery, usageSeries } from '../../src/management/usage/series.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { Generation } from '../../src/ports/generations.ts';
import type { Storage } from '../../src/ports/storage.ts';
import type { UsageSums } from '../../src/ports/usage.ts';
import { generation, type OpenStorage, usd, wednesday } from './fixtures.ts';

const day = 86_400_000;
const accounts = ['org_a', 'org_b', 'org_c'];

/** Calls of some accounts in five days. */
const calls: fc.Arbitrary<readonly Generation[]> = fc
  .array(
    fc.record({
      accountId: fc.constantFrom(...accounts),
      age: fc.integer({ min: 0, max: 5 * day }),
      model: fc.constantFrom('acme/atlas', 'acme/ibis', 'globex/one'),
      place: fc.constantFrom(['north', 'north/a'], ['south', 'south/a'], ['south', 'south/b']),
      cost: fc.nat(1_000_000),
      input: fc.nat(1_000),
      error: fc.constantFrom(undefined, undefined, 'timeout', 'server'),
      isByok: fc.boolean(),
    }),
    { minLength: 40, maxLength: 80 },
  )
  .map((list) =>
    list.map(({ accountId, age, model, place: [provider, endpointTag], cost, input, error, isByok }) =>
      generation({
        accountId,
        keyHash: `key of ${accountId}`,
        settledAt: wednesday - age,
        createdAt: wednesday - age - 1_000,
        model,
        provider: provider ?? null,
        endpointTag: endpointTag ?? null,
        cost: usd(cost),
        listCost: usd(cost + 1),
        isByok,
        usage: { uncachedInput: input, output: 3 },
        ...(error !== undefined && { errorType: error }),
      }),
    ),
  );

const asked = fc.record({
  from: fc.integer({ min: 0, max: 5 * day }),
  length: fc.integer({ min: 1, max: 4 * day - 1_800_000 }),
  bucket: fc.constantFrom('auto' as const, '15m' as const, '1h' as const, '1d' as const, 'all' as const),
  zone: fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'Asia/Kathmandu',
    'Pacific/Kiritimati',
    'America/Los_Angeles',
  ),
  group: fc.constantFrom('model' as const, 'provider' as const, 'endpoint' as const, 'error' as const),
  filters: fc.constantFrom(
    {},
    { model: 'acme/*' },
    { model: 'globex/one', failed: false },
    { provider: 'south' },
    { endpoint: 'south/b', failed: true },
    { errorType: 'timeout' },
  ),
});

const range = { from: wednesday - 6 * day, to: wednesday + day };

function read(storage: Storage, all: AllAccountsUsage, change: Partial<SeriesQuery>) {
  const query = { ...range, bucket: 'all', zone: 'UTC', filters: {}, top: 50, times: 'none' } as const;
  return usageSeries(operator, { ...query, allAccounts: true, ...change }, { storage, allUsage: all });
}

const exact = ({ cost, listCost, byokCost, requests, failed, inputTokens, outputTokens }: UsageSums) => [
  cost,
  listCost,
  byokCost,
  BigInt(requests),
  BigInt(failed),
  BigInt(inputTokens),
  BigInt(outputTokens),
];

const added = (sums: readonly UsageSums[]) =>
  sums
    .map(exact)
    .reduce(
      (one, other) => one.map((value, place) => value + (other[place] ?? 0n)),
      [0n, 0n, 0n, 0n, 0n, 0n, 0n],
    );

/** Sums of all accounts together are those of the accounts (docs/spec/dashboard.md#all-accounts). */
export function describeAllAccounts(name: string, open: OpenStorage): void {
  describe(`all accounts: ${name}`, () => {
    test('in any range, zone and group they are the sums of the accounts, to the nano-dollar', async (t) => {
      const [made = []] = fc.sample(calls, { numRuns: 1, seed: 5 });
      const storage = await open(t);
      for (const call of made) await storage.ledger.settle(call);
      const all = new AllAccountsUsage(storage.usage, systemClock);
      for (const { from: start, length, ...rest } of fc.sample(asked, { numRuns: 40, seed: 9 })) {
        const from = wednesday - 5 * day + start;
        const query = { ...rest, from, to: from + length, compare: 'previous' as const };
        const found = await read(storage, all, query);
        const own = await Promise.all(
          accounts.map((accountId) =>
            read(storage, all, { ...query, filters: { ...rest.filters, accountId }, allAccounts: false }),
          ),
        );
        const label = JSON.stringify(query);
        const ownTotals = own.map(({ all: { totals } }) => totals);
        assert.deepEqual(exact(found.all.totals), added(ownTotals), label);
        assert.deepEqual(added(found.all.series), exact(found.all.totals), label);
        const previous = own.flatMap(({ previous: before }) => before?.totals ?? []);
        assert.deepEqual(found.previous && exact(found.previous.totals), added(previous), label);
        const groups = Map.groupBy(
          own.flatMap((series) => series.groups),
          ({ value }) => value,
        );
        assert.deepEqual(
          new Map(found.groups.map(({ value, totals }) => [value, exact(totals)])),
          new Map([...groups].map(([value, some]) => [value, added(some.map(totalsOf))])),
          label,
        );
        const costs = found.groups.map(({ totals }) => totals.cost);
        assert.deepEqual(
          costs,
          costs.toSorted((one, other) => (one < other ? 1 : one > other ? -1 : 0)),
          'most expensive first',
        );
      }
    });

    test('costs beyond 64 bits are added up, and hinder no charge', async (t) => {
      const storage = await open(t);
      const most = 2n ** 63n - 1n;
      for (const accountId of ['org_a', 'org_b']) {
        const absurd = { cost: usd(most), listCost: usd(most), usage: { output: Number.MAX_SAFE_INTEGER } };
        await storage.ledger.settle(generation({ accountId, keyHash: `key of ${accountId}`, ...absurd }));
      }
      await storage.ledger.settle(
        generation({ accountId: 'org_c', keyHash: 'key of org_c', cost: usd(7), listCost: usd(9) }),
      );
      const all = new AllAccountsUsage(storage.usage, systemClock);
      for (const bucket of ['15m', 'all'] as const) {
        const found = await read(storage, all, {
          bucket,
          from: wednesday - day,
          to: wednesday + day,
          group: 'model',
        });
        const { cost, listCost, requests } = found.all.totals;
        assert.deepEqual([cost, listCost, requests], [2n * most + 7n, 2n * most + 9n, 3]);
      }
    });

    test('what belongs to none of the groups told apart is not mixed with what is unknown', async (t) => {
      const storage = await open(t);
      const call = (provider: string | undefined, cost: number) =>
        storage.ledger.settle(
          generation({ accountId: 'org_a', cost: usd(cost), ...(provider !== undefined && { provider }) }),
        );
      await call(undefined, 50);
      await call('north', 30);
      await call('south', 20);
      const all = new AllAccountsUsage(storage.usage, systemClock);
      for (const query of [{ filters: { accountId: 'org_a' }, allAccounts: false }, { allAccounts: true }]) {
        const { groups, others } = await read(storage, all, { ...query, group: 'provider', top: 2 });
        assert.deepEqual(
          [groups.map(({ value, totals }) => [value, totals.cost]), others],
          [
            [
              ['', 50n],
              ['north', 30n],
              [undefined, 20n],
            ],
            1,
          ],
        );
      }
    });

    test('at most so many cells are read as are asked for', async (t) => {
      const storage = await open(t);
      for (const model of ['acme/atlas', 'acme/ibis', 'globex/one'])
        await storage.ledger.settle(generation({ accountId: 'org_a', model, requestedModel: model }));
      assert.equal((await storage.usage.cells(range, 'all', 2)).length, 2);
      const full = new AllAccountsUsage(storage.usage, systemClock, 3);
      assert.equal((await read(storage, full, {})).all.totals.requests, 3);
      const small = new AllAccountsUsage(storage.usage, systemClock, 2);
      await assert.rejects(read(storage, small, {}), /choose a shorter range/);
    });
  });
}

function totalsOf({ totals }: SeriesGroup): UsageSums {
  return totals;
}
