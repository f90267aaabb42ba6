import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { Storage } from '../../src/ports/storage.ts';
import { openStorage, type StorageOptions } from '../../src/storage/open-storage.ts';
import { account, apiKey, generation, ledgerEntry, usd, wednesday } from '../conformance/fixtures.ts';
import { openOnPostgres } from '../support/open-on-postgres.ts';
import { type PostgresServer, startPostgres } from '../support/start-postgres.ts';

const dayLength = 86_400_000;
const today = Math.floor(wednesday / dayLength);

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

const open = (t: TestContext, options?: StorageOptions) => openOnPostgres(server, t, options);

const one = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);

/** Calls of few accounts, keys and endpoints in few days, so that many fall together. */
const calls = fc.array(
  fc
    .record({
      accountId: one('org_a', 'org_b'),
      keyHash: one('key_a', 'key_b', 'key_c'),
      workspaceId: one(null, 'workspace_a', 'workspace_b'),
      requestedModel: one('acme/atlas-4', 'acme/old'),
      // Known together, once an endpoint was reached. A fee of a tool has a model alone; what reached nobody costs nothing.
      place: fc.oneof(
        fc.record({
          model: one('acme/atlas-4', 'acme/big'),
          provider: one('northgpu', 'southgpu'),
          endpointTag: one('northgpu', 'northgpu/fp8'),
        }),
        one({ model: 'service:web_search', isByok: false, cost: usd(3), listCost: usd(3) }),
        one({ isByok: false, cost: usd(0), listCost: usd(0) }),
      ),
      isByok: fc.boolean(),
      cost: fc.nat(50).map(usd),
      listCost: fc.nat(90).map(usd),
      settledAt: fc.nat(4 * dayLength).map((time) => (today - 2) * dayLength + time),
      usage: one({}, { uncachedInput: 3, cacheRead: 2, output: 5 }, { output: 1, reasoning: 1 }),
      lapses: fc.integer({ min: 0, max: 3 }).map((number) => number === 0),
    })
    .map(({ lapses, place, ...known }) => {
      const change = { ...known, ...place };
      return generation(
        lapses ? { ...change, isByok: false, cost: usd(0), listCost: usd(0), lapsed: true } : change,
      );
    }),
  { maxLength: 60 },
);

/** Everything a storage reports, for comparing it. */
async function reports({ activity, generations }: Storage, since: number) {
  const range = { firstDay: today - 1, lastDay: today + 1 };
  const questions = [
    { accountId: 'org_a', byWorkspace: false },
    { accountId: 'org_b', byWorkspace: true },
    { accountId: 'org_a', byWorkspace: true, keyHash: 'key_a' },
    { accountId: 'org_a', byWorkspace: false, creatorUserId: 'user_a' },
    { accountId: 'org_b', byWorkspace: false, workspaceId: 'workspace_a' },
  ];
  const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row, withAmounts)).sort();
  return {
    activity: await Promise.all(
      questions.map(async (query) => sorted(await activity.activity({ ...range, ...query }))),
    ),
    usage: await Promise.all(
      (['key', 'model', 'provider', 'day'] as const).map(async (by) =>
        sorted(await generations.usage(since, by)),
      ),
    ),
  };
}

const withAmounts = (_name: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);

test('sums by day say what reading every call says', async (t) => {
  const { storage } = await open(t);
  const plain = await openStorage('sqlite::memory:');
  t.after(() => plain.close());
  await plain.migrate();
  for (const each of [storage, plain]) {
    for (const id of ['org_a', 'org_b'])
      await each.accounts.create(account({ id, defaultWorkspaceId: null }));
    await each.keys.create(apiKey('org_a', { hash: 'key_a', creatorUserId: 'user_a', label: 'sk-a' }));
  }
  const moments = fc.nat(3 * dayLength).map((time) => (today - 2) * dayLength + time);
  await fc.assert(
    fc.asyncProperty(calls, fc.oneof(moments, one(0, today * dayLength)), async (settled, since) => {
      for (const each of [storage, plain]) {
        await Promise.all(settled.map((call) => each.ledger.settle(call)));
        // Nothing counts twice.
        await Promise.all(settled.slice(0, 5).map((call) => each.ledger.settle(call)));
      }
      assert.deepEqual(await reports(storage, since), await reports(plain, since));
    }),
    { numRuns: 15 },
  );
  assert.deepEqual(await storage.ledger.verify(), []);
});

test('verify names sums by day that somebody changed, and calls that somebody deleted', async (t) => {
  const { name, storage } = await open(t);
  await storage.ledger.settle(generation({ id: 'gen-1', accountId: 'org_a', keyHash: 'k', cost: usd(7) }));
  const subjects = async () => (await storage.ledger.verify()).map(({ subject }) => subject);
  await server.run('update daily_usage set cost = 8', name);
  assert.deepEqual(await subjects(), [
    'account org_a: usage reported for 2026-11-18 of key k, acme/atlas-4 at nobody',
  ]);
  await server.run('update daily_usage set cost = 7, byok_cost = 1', name);
  assert.deepEqual(await subjects(), [
    'account org_a: own-credential usage reported for 2026-11-18 of key k, acme/atlas-4 at nobody',
  ]);
  await server.run("update daily_usage set byok_cost = 0; delete from generations where id = 'gen-1'", name);
  assert.deepEqual(await subjects(), [
    'account org_a: charges',
    'key k: usage on 2026-11-18',
    'key k: usage in all time',
    'account org_a: shown for the quarter hour from 2026-11-18T13:45Z of key k, acme/atlas-4',
    'account org_a: shown for the day from 2026-11-18T00:00Z of key k, acme/atlas-4',
    'account org_a: usage reported for 2026-11-18 of key k, acme/atlas-4 at nobody',
  ]);
});

test('verify compares a few days at a time and finds what differs in each, and calls on days nobody counted', async (t) => {
  const { name, storage } = await open(t);
  for (let day = 0; day < 40; day += 1) {
    const settledAt = wednesday + day * dayLength;
    const isByok = day % 10 === 5;
    const change = { id: `gen-${day}`, accountId: 'org_a', keyHash: 'k', settledAt, isByok };
    await storage.ledger.settle(generation({ ...change, cost: usd(7), listCost: usd(9) }));
  }
  assert.deepEqual(await storage.ledger.verify(), []);
  for (const [id, days] of [
    ['before', -30],
    ['after', 90],
  ] as const) {
    await server.run(
      `create temp table copy as select * from generations where id = 'gen-0';
      update copy set id = '${id}', settled_at = settled_at + ${days * dayLength}, cost = 1;
      insert into generations select * from copy`,
      name,
    );
  }
  await server.run(
    `update key_spend set charge = 8 where day in (${today}, ${today + 39});
    update daily_usage set byok_cost = 8 where day = ${today + 15}`,
    name,
  );
  const differences = await storage.ledger.verify();
  assert.deepEqual(
    differences.map(({ subject, kept, recomputed }) => [subject, kept, recomputed]),
    [
      ['account org_a: charges', 280n, 282n],
      ['key k: usage on 2026-10-19', 0n, 1n],
      ['key k: usage on 2026-11-18', 8n, 7n],
      ['key k: usage on 2026-12-27', 8n, 7n],
      ['key k: usage on 2027-02-16', 0n, 1n],
      ['key k: usage in all time', 280n, 282n],
      ['account org_a: shown for the quarter hour from 2026-10-19T13:45Z of key k, acme/atlas-4', 0n, 1n],
      ['account org_a: shown for the day from 2026-10-19T00:00Z of key k, acme/atlas-4', 0n, 1n],
      ['account org_a: usage reported for 2026-10-19 of key k, acme/atlas-4 at nobody', 0n, 1n],
      [
        'account org_a: own-credential usage reported for 2026-12-03 of key k, acme/atlas-4 at nobody',
        8n,
        9n,
      ],
      ['account org_a: shown for the quarter hour from 2027-02-16T13:45Z of key k, acme/atlas-4', 0n, 1n],
      ['account org_a: shown for the day from 2027-02-16T00:00Z of key k, acme/atlas-4', 0n, 1n],
      ['account org_a: usage reported for 2027-02-16 of key k, acme/atlas-4 at nobody', 0n, 1n],
    ],
  );
});

test('calls older than what is kept are deleted; money, reports and the check of the books stay as they were', async (t) => {
  const clock = { time: wednesday, now: () => clock.time };
  const { name, storage } = await open(t, { clock, retention: { days: 30, every: 10 } });
  const owner = account({ createdAt: wednesday });
  await storage.accounts.create(owner);
  const expiresAt = wednesday + 40 * dayLength;
  await storage.ledger.append(ledgerEntry(owner.id, { amount: usd(1000), expiresAt }));
  for (let day = 0; day < 60; day += 1) {
    const settledAt = wednesday + day * dayLength;
    await storage.ledger.settle(
      generation({
        id: `gen-${day}`,
        accountId: owner.id,
        keyHash: 'k',
        model: 'm',
        cost: usd(10),
        settledAt,
      }),
    );
  }
  const seen = async () => ({
    usage: await storage.generations.usage(0, 'day'),
    activity: await storage.activity.activity({
      accountId: owner.id,
      firstDay: today,
      lastDay: today + 90,
      byWorkspace: false,
    }),
    spend: await storage.ledger.keySpend('k', wednesday),
  });
  const before = await seen();
  clock.time = wednesday + 60 * dayLength;
  const left = async () => (await server.run('select count(*) as left from generations', name))[0]?.left;
  for (let tries = 0; tries < 500 && (await left()) !== '30'; tries += 1) await sleep(20);
  assert.equal(await left(), '30');
  assert.equal(await storage.generations.find('gen-29'), undefined);
  assert.equal((await storage.generations.find('gen-30'))?.id, 'gen-30');
  assert.deepEqual(await seen(), before);
  // The first 40 calls spent of the credit that then lapsed; the last 20 made debt.
  assert.equal((await storage.ledger.balance(owner.id)).balance, -200n);
  assert.deepEqual(await storage.ledger.verify(), []);
});
