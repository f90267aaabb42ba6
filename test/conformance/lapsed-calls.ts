import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type ByokTerms, byokFee } from '../../src/core/byok-fee.ts';
import { parseUsd, zeroUsd } from '../../src/core/money.ts';
import type { Generation } from '../../src/ports/generations.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { account, apiKey, generation, type OpenStorage, usd, wednesday } from './fixtures.ts';

const dayLength = 86_400_000;
const today = Math.floor(wednesday / dayLength);
const nothing = { cost: zeroUsd, listCost: zeroUsd };
const terms: ByokTerms = { feeBasisPoints: 500, monthlyAllowance: zeroUsd };

/** A call that cost something, and the record that closes it when nobody came back. */
function callOf(accountId: string, keyHash: string, change: Partial<Generation> = {}) {
  const settled = generation({ accountId, keyHash, finishReason: 'stop', ...change });
  const { id, requestId } = settled;
  const lapsedAt = wednesday - dayLength;
  const closed = {
    id,
    requestId,
    accountId,
    keyHash,
    settledAt: lapsedAt,
    finishReason: 'error',
    ...nothing,
  };
  return { settled, lapsed: generation({ ...closed, lapsed: true }) };
}

/** Books the true record (true) and the one that closed the call (false) in this order, or all at once. */
async function book(
  ledger: Ledger,
  { settled, lapsed }: ReturnType<typeof callOf>,
  order: readonly boolean[],
  together: boolean,
): Promise<void> {
  const records = order.map((isTrue) => (isTrue ? settled : lapsed));
  if (together) await Promise.all(records.map((record) => ledger.settle(record)));
  else for (const record of records) await ledger.settle(record);
}

const one = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);

/** Moments of five days; their first and last ones come often. */
const moments = fc
  .tuple(fc.nat(4), fc.oneof(one(0, 1, dayLength - 1), fc.nat(dayLength - 1)))
  .map(([day, time]) => (today - 2 + day) * dayLength + time);

const endpoints = one(
  {},
  { model: 'acme/atlas-4', provider: 'northgpu', endpointTag: 'northgpu' },
  { model: 'acme/big', provider: 'southgpu', endpointTag: 'southgpu/fp8' },
);

/** A lapsed call and the true charge it may get, which names any day and endpoint. */
const returningCalls = fc.array(
  fc.record({
    lapsed: endpoints,
    lapsedAt: moments,
    settled: endpoints,
    settledAt: moments,
    cost: fc.nat(9),
    comesBack: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

type Sums = readonly (readonly [group: string, requests: number, cost: bigint])[];

/** What reports say of these calls, added up one by one. */
function sumsOf(calls: Iterable<Generation>, groupOf: (call: Generation) => string | undefined): Sums {
  const sums = new Map<string, [number, bigint]>();
  for (const call of calls) {
    const group = groupOf(call);
    if (group === undefined) continue;
    const [requests, cost] = sums.get(group) ?? [0, 0n];
    sums.set(group, [requests + 1, cost + call.cost]);
  }
  return [...sums].map(([group, [requests, cost]]) => [group, requests, cost] as const).sort();
}

const dayOf = (call: Generation) => Math.floor(call.settledAt / dayLength);
const dateOf = (day: number) => new Date(day * dayLength).toISOString().slice(0, 10);

/** Compares reports since a moment, and of whole days from its day on, with these calls, all of one account. */
async function compareReports(
  { generations, activity }: Storage,
  accountId: string,
  calls: Iterable<Generation>,
  since: number,
): Promise<void> {
  const all = [...calls];
  const settledSince = all.filter((call) => call.settledAt >= since);
  const groupings = {
    day: (call: Generation) => dateOf(dayOf(call)),
    model: (call: Generation) => call.model ?? call.requestedModel,
    provider: (call: Generation) => call.provider ?? 'none',
  };
  for (const by of ['day', 'model', 'provider'] as const) {
    const rows = await generations.usage(since, by);
    const sums = rows.map(({ group, requests, cost }) => [group, requests, cost] as const).sort();
    assert.deepEqual(sums, sumsOf(settledSince, groupings[by]), `usage by ${by}`);
  }
  const firstDay = Math.floor(since / dayLength);
  const lastDay = today + 1;
  const rows = await activity.activity({ accountId, firstDay, lastDay, byWorkspace: false });
  const sums = rows.map(
    (row) => [`${dateOf(row.day)} ${row.model} ${row.endpointTag}`, row.requests, row.cost] as const,
  );
  const reported = sumsOf(all, (call) => {
    const inRange = dayOf(call) >= firstDay && dayOf(call) <= lastDay;
    return call.model && inRange ? `${dateOf(dayOf(call))} ${call.model} ${call.endpointTag}` : undefined;
  });
  assert.deepEqual(sums.sort(), reported, 'activity');
}

/**
 * What every Ledger must do for calls whose hold has lapsed (docs/spec/money.md#lapsed-holds): a record that somebody
 * closed at no cost gives way to the true charge, once, in whatever order and however often both are booked.
 */
export function describeLapsedCalls(name: string, open: OpenStorage): void {
  describe(`lapsed calls: ${name}`, () => {
    test('a lapsed call has a record with an error and costs nothing', async (t) => {
      const { ledger, generations } = await open(t);
      const { lapsed } = callOf('org_lapsed', 'key_lapsed');
      await ledger.settle(lapsed);
      await ledger.settle(lapsed);
      const found = await generations.find(lapsed.id);
      assert.deepEqual([found?.finishReason, found?.cost, found?.lapsed], ['error', 0n, true]);
      assert.equal((await ledger.balance('org_lapsed')).spentTotal, zeroUsd);
      assert.deepEqual(await ledger.verify(), []);
    });

    test('the true charge is booked once in any order, alone or together with its record', async (t) => {
      const { accounts, keys, ledger, generations } = await open(t);
      const owner = account();
      const key = apiKey(owner.id);
      await accounts.create(owner);
      await keys.create(key);
      let spent = 0n;
      const orders = fc.array(fc.boolean(), { minLength: 1, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(orders, fc.boolean(), async (order, together) => {
          const call = callOf(owner.id, key.hash, { cost: usd(1 + order.length) });
          const kept = order.includes(true) ? call.settled : call.lapsed;
          await book(ledger, call, order, together);
          assert.deepEqual(await generations.find(kept.id), kept);
          spent += kept.cost;
          assert.equal((await ledger.balance(owner.id)).spentTotal, spent);
        }),
        { numRuns: 60 },
      );
      assert.equal(
        (await ledger.keySpend(key.hash, wednesday)).usage.daily,
        spent,
        'on the day it was settled',
      );
      assert.equal((await ledger.keySpend(key.hash, wednesday - dayLength)).usage.daily, zeroUsd);
      assert.deepEqual(await ledger.verify(), []);
    });

    test('so is what an own credential served', async (t) => {
      const { ledger, generations } = await open(t);
      const listCost = parseUsd(10);
      const { settled, lapsed } = callOf('org_lapsed', 'key_lapsed', {
        isByok: true,
        cost: zeroUsd,
        listCost,
      });
      await ledger.settle(lapsed);
      const fee = byokFee(listCost, zeroUsd, terms);
      assert.equal(await ledger.settle(settled, terms), fee);
      assert.equal(await ledger.settle(settled, terms), fee);
      await ledger.settle(lapsed);
      const found = await generations.find(settled.id);
      assert.deepEqual([found?.cost, found?.isByok, found?.lapsed], [fee, true, undefined]);
      const spend = await ledger.keySpend('key_lapsed', wednesday);
      assert.deepEqual([spend.usage.total, spend.byokUsage.total], [fee, listCost]);
      assert.deepEqual(await ledger.verify(), []);
    });

    test('reports count it as one request that cost nothing, until its true charge takes its place', async (t) => {
      const storage = await open(t);
      const { accounts, ledger } = storage;
      const owner = account();
      await accounts.create(owner);
      const kept = new Map<string, Generation>();
      const book = async (record: Generation) => {
        kept.set(record.id, record);
        await ledger.settle(record);
      };
      await fc.assert(
        fc.asyncProperty(returningCalls, moments, async (drawn, since) => {
          const calls = drawn.map(({ lapsed, lapsedAt, settled, settledAt, cost, comesBack }) => ({
            // What reached nobody costs nothing.
            ...callOf(owner.id, 'key_lapsed', {
              ...settled,
              settledAt,
              cost: usd('model' in settled ? cost : 0),
            }),
            ending: { ...lapsed, settledAt: lapsedAt },
            comesBack,
          }));
          await Promise.all(calls.map(({ lapsed, ending }) => book({ ...lapsed, ...ending })));
          await compareReports(storage, owner.id, kept.values(), since);
          await Promise.all(calls.filter((call) => call.comesBack).map(({ settled }) => book(settled)));
          await compareReports(storage, owner.id, kept.values(), since);
        }),
        { numRuns: 20 },
      );
      assert.deepEqual(await ledger.verify(), []);
    });
  });
}
