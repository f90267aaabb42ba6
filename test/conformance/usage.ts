import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { usageSeries, type WantedTimes } from '../../src/management/usage/series.ts';
import type { Generation } from '../../src/ports/generations.ts';
import type { CallFilters, CallPlace, UsageDimension } from '../../src/ports/usage.ts';
import { generation, type OpenStorage, usd, wednesday } from './fixtures.ts';

const quarter = 900_000;
const day = 86_400_000;
const none = {};

const models = ['acme/atlas', 'acme/ibis', 'globex/one'];
const keys = ['k1', 'k2'];

/** Some calls of a few days, of different kinds. */
const calls: fc.Arbitrary<readonly Generation[]> = fc
  .array(
    fc.record({
      age: fc.integer({ min: 0, max: 3 * day }),
      model: fc.constantFrom(...models),
      key: fc.constantFrom(...keys),
      cost: fc.nat(1_000_000),
      input: fc.nat(1_000),
      output: fc.nat(1_000),
      error: fc.constantFrom(undefined, undefined, 'timeout', 'server'),
      isByok: fc.boolean(),
      attempts: fc.integer({ min: 0, max: 3 }),
      status: fc.constantFrom(200, 429, 503),
      named: fc.constantFrom('acme/atlas', 'service/auto', 'acme/*odd'),
      router: fc.constantFrom(undefined, 'service/auto', 'service/fusion'),
      preset: fc.constantFrom(undefined, 'mail', 'mailing'),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((list) =>
    list.map((one, index) =>
      generation({
        id: `gen-${String(index).padStart(4, '0')}`,
        accountId: 'org_a',
        keyHash: one.key,
        settledAt: wednesday - one.age,
        createdAt: wednesday - one.age - 1_000,
        model: one.model,
        provider: 'north',
        endpointTag: 'north/a',
        cost: usd(one.cost),
        listCost: usd(one.cost + 1),
        isByok: one.isByok,
        ...(one.error === undefined ? { latency: 10 } : { errorType: one.error }),
        usage: { uncachedInput: one.input, output: one.output },
        requestedModel: one.named,
        routedBy: one.router,
        preset: one.preset,
        attempts: Array.from({ length: one.attempts }, (_, index) => ({
          provider: 'north',
          model: one.model,
          tag: 'north/a',
          status: index === one.attempts - 1 ? one.status : 200,
          latency: 1,
        })),
      }),
    ),
  );

const groupOf = {
  key: (call: Generation) => call.keyHash,
  model: (call: Generation) => call.model ?? '',
  error: (call: Generation) => call.errorType ?? '',
} satisfies Partial<Record<UsageDimension, (call: Generation) => string>>;

/** What the sums of usage and the list of calls must say (docs/spec/dashboard.md#numbers). */
export function describeUsage(name: string, open: OpenStorage): void {
  describe(`usage: ${name}`, () => {
    test('sums of any range and group are those of its calls, to the nano-dollar, and the books agree', async (t) => {
      const sample = fc.sample(calls, { numRuns: 4, seed: 7 });
      for (const made of sample) {
        const storage = await open(t);
        for (const call of made) await storage.ledger.settle(call);
        await storage.ledger.settle(generation({ accountId: 'org_other', cost: usd(5) }));
        const asked = fc.record({
          from: fc.integer({ min: 0, max: 3 * 96 }),
          length: fc.integer({ min: 1, max: 300 }),
          by: fc.constantFrom('key' as const, 'model' as const, 'error' as const),
        });
        for (const { from, length, by } of fc.sample(asked, { numRuns: 25, seed: 3 })) {
          const start = Math.floor((wednesday - 3 * day) / quarter) * quarter + from * quarter;
          const range = { from: start, to: start + length * quarter };
          const inRange = made.filter(({ settledAt }) => settledAt >= range.from && settledAt < range.to);
          const grouping = { range, filters: { accountId: 'org_a' }, dimension: by };
          const totals = await storage.usage.totals(grouping, 100);
          const expected = Map.groupBy(inRange, groupOf[by]);
          assert.equal(totals.length, expected.size);
          for (const sums of totals) {
            const group = expected.get(sums.value) ?? [];
            const cost = group.reduce((sum, call) => sum + call.cost, 0n);
            assert.deepEqual(
              [sums.requests, sums.cost, sums.failed, sums.fallbacks],
              [
                group.length,
                cost,
                group.filter(({ errorType }) => errorType !== undefined).length,
                group.filter(({ attempts }) => attempts.length > 1).length,
              ],
            );
            const input = group.reduce((sum, { usage }) => sum + (usage.uncachedInput ?? 0), 0);
            assert.equal(sums.inputTokens, input);
          }
          const steps = await storage.usage.steps(grouping, 15, [...expected.keys()]);
          const all = inRange.reduce((sum, call) => sum + call.cost, 0n);
          assert.equal(
            steps.reduce((sum, step) => sum + step.cost, 0n),
            all,
          );
        }
        assert.deepEqual(await storage.ledger.verify(), []);
      }
    });

    test('the list gives every call that fits once, newest first, in parts of any size', async (t) => {
      const [made = []] = fc.sample(calls, { numRuns: 1, seed: 11 });
      const storage = await open(t);
      for (const call of made) await storage.ledger.settle(call);
      const range = { from: wednesday - 4 * day, to: wednesday + 1 };
      const cases = [
        { filters: none, calls: none, fits: () => true },
        {
          filters: { model: 'acme/*' },
          calls: none,
          fits: ({ model = '' }: Generation) => model.startsWith('acme/'),
        },
        {
          filters: { keyHash: 'k2', failed: true },
          calls: none,
          fits: (call: Generation) => call.keyHash === 'k2' && call.errorType !== undefined,
        },
        {
          filters: { errorType: 'timeout' },
          calls: none,
          fits: (call: Generation) => call.errorType === 'timeout',
        },
        {
          filters: { failed: false },
          calls: { fallback: true },
          fits: (call: Generation) => call.errorType === undefined && call.attempts.length > 1,
        },
        {
          filters: none,
          calls: { minCost: usd(500_000), own: true },
          fits: (call: Generation) => call.cost >= 500_000n && call.isByok,
        },
        {
          filters: none,
          calls: { status: 429 },
          fits: (call: Generation) => call.attempts.at(-1)?.status === 429,
        },
        {
          filters: none,
          calls: { requestedModel: 'acme/*', router: 'service/auto' },
          fits: (call: Generation) =>
            call.requestedModel.startsWith('acme/') && call.routedBy === 'service/auto',
        },
        {
          filters: { keyHash: 'k1' },
          calls: { requestedModel: 'service/auto', preset: 'mail' },
          fits: (call: Generation) =>
            call.keyHash === 'k1' && call.requestedModel === 'service/auto' && call.preset === 'mail',
        },
      ];
      for (const { filters, calls: further, fits } of cases) {
        for (const limit of [1, 7, 200]) {
          const seen: string[] = [];
          let before: CallPlace | undefined;
          do {
            const asked = {
              range,
              filters: { ...filters, accountId: 'org_a' },
              calls: further,
              before,
              limit,
            };
            const page = await storage.usage.calls(asked);
            seen.push(...page.generations.map(({ id }) => id));
            before = page.next;
          } while (before !== undefined);
          const expected = made
            .filter(fits)
            .toSorted((one, other) => other.settledAt - one.settledAt || (one.id < other.id ? 1 : -1))
            .map(({ id }) => id);
          assert.deepEqual(seen, expected, JSON.stringify([filters, Object.keys(further)]));
        }
      }
    });

    test('times are those of the newest calls that succeeded, so many a range', async (t) => {
      const storage = await open(t);
      for (let n = 0; n < 10; n += 1) {
        const failed = n % 5 === 0 ? { errorType: 'server' } : { latency: n, generationTime: 100 * n };
        await storage.ledger.settle(
          generation({ accountId: 'org_a', settledAt: wednesday + n, usage: { output: n }, ...failed }),
        );
      }
      const range = { from: wednesday, to: wednesday + 9 };
      const times = await storage.usage.times([range], { accountId: 'org_a' }, 3);
      assert.deepEqual(times.map(({ latency, generationTime }) => [latency, generationTime]).sort(), [
        [6, 600],
        [7, 700],
        [8, 800],
      ]);
    });

    test('total times of the sample lie in logarithmic classes, only where that is asked', async (t) => {
      const storage = await open(t);
      const start = Math.floor(wednesday / quarter) * quarter;
      const call = (age: number, took: number | undefined, errorType?: string) =>
        storage.ledger.settle(
          generation({
            accountId: 'org_a',
            settledAt: start + age,
            ...(took === undefined ? {} : { latency: 10, generationTime: took - 10 }),
            ...(errorType === undefined ? {} : { errorType }),
          }),
        );
      await call(1, 100);
      await call(2, 130);
      await call(3, undefined);
      await call(4, 9_000, 'server');
      await call(2 * quarter, 200);
      const asked = { bucket: '15m', zone: 'UTC', filters: { accountId: 'org_a' }, top: 1 } as const;
      const range = { from: start, to: start + 3 * quarter };
      const read = (times: WantedTimes) =>
        usageSeries(
          { kind: 'operator' },
          { ...asked, ...range, times, allAccounts: false },
          { storage, allUsage: { read: () => Promise.reject(new Error('not asked')) } },
        );
      const { times } = await read('classes');
      assert.deepEqual(times?.classes, {
        bounds: [100, 125, 160, 200, 250],
        counts: [
          [1, 1, 0, 0],
          [0, 0, 0, 0],
          [0, 0, 0, 1],
        ],
      });
      assert.deepEqual(
        times?.steps.map(({ total }) => total?.p95),
        [130, undefined, 200],
      );
      const { times: percentiles } = await read('percentiles');
      assert.deepEqual([percentiles?.classes, percentiles?.all], [undefined, times?.all]);
      assert.equal((await read('none')).times, undefined);
    });

    test('each key was used last in a day, and in a quarter of an hour where that is recent', async (t) => {
      const storage = await open(t);
      const today = Math.floor(wednesday / day) * day;
      const call = (keyHash: string, settledAt: number, accountId = 'org_a') =>
        storage.ledger.settle(
          generation({ accountId, keyHash, settledAt, createdAt: settledAt, cost: usd(0) }),
        );
      await call('now', today + 5 * quarter + 1);
      await call('now', today + 3 * quarter);
      await call('lately', today - 10 * day + 7 * quarter);
      await call('lately', today - 40 * day);
      await call('long ago', today - 95 * day);
      await call('foreign', today, 'org_b');
      const uses = (limit: number) => storage.usage.lastUses('org_a', today - 90 * day, today - day, limit);
      const expected = [
        { keyHash: 'now', start: today, span: 1440 },
        { keyHash: 'lately', start: today - 10 * day, span: 1440 },
        { keyHash: 'now', start: today + 5 * quarter, span: 15 },
      ];
      assert.deepEqual(await uses(9), expected);
      assert.deepEqual(await uses(2), expected.slice(0, 2));
    });

    test('text of clients that no JSON type takes, or that looks like a member, changes nothing', async (t) => {
      const storage = await open(t);
      const sessionId = 'a\u0000"errorType":"server","preset":"mail","routedBy":"service/auto"\ud800';
      const appTitle = '"attempts":[{"status":418}],"';
      const call = generation({
        accountId: 'org_a',
        sessionId,
        userAgent: '"streamed":true',
        appTitle,
        latency: 5,
      });
      await storage.ledger.settle(call);
      await storage.ledger.settle(generation({ accountId: 'org_a' }));
      const range = { from: wednesday - day, to: wednesday + day };
      const [sums] = await storage.usage.totals({ range, filters: { accountId: 'org_a' } }, 1);
      assert.deepEqual([sums?.requests, sums?.failed, sums?.streamed, sums?.cost], [2, 0, 0, 2000n]);
      const list = async (calls: CallFilters) => {
        const asked = { range, filters: { accountId: 'org_a', failed: false }, calls, limit: 9 };
        return (await storage.usage.calls(asked)).generations.map(({ id }) => id);
      };
      assert.deepEqual(await list({ minFirstToken: 5, streamed: false }), [call.id]);
      assert.deepEqual(await list({ sessionId: 'another' }), []);
      assert.deepEqual(await list({ preset: 'mail' }), []);
      assert.deepEqual(await list({ router: 'service/auto' }), []);
      assert.deepEqual(await list({ status: 418 }), []);
      assert.equal((await storage.usage.times([range], { accountId: 'org_a' }, 9)).length, 2);
      assert.deepEqual(await storage.ledger.verify(), []);
    });

    test('the record of a lapsed call counts once its true charge is there', async (t) => {
      const storage = await open(t);
      const call = generation({ accountId: 'org_a', model: 'acme/atlas' });
      await storage.ledger.settle({
        ...call,
        lapsed: true,
        errorType: 'server',
        cost: usd(0),
        listCost: usd(0),
      });
      await storage.ledger.settle(call);
      const range = { from: wednesday - day, to: wednesday + day };
      const [sums] = await storage.usage.totals({ range, filters: { accountId: 'org_a' } }, 1);
      assert.deepEqual([sums?.requests, sums?.failed, sums?.cost], [1, 0, 1000n]);
      assert.deepEqual(await storage.ledger.verify(), []);
    });
  });
}
