import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Generation } from '../../src/ports/generations.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { chargeLine } from '../../src/storage/charges/charge.ts';
import { openStorage, type StorageOptions } from '../../src/storage/open-storage.ts';
import { isLapsed } from '../../src/storage/sql/charge-columns.ts';
import { account, generation, usd, wednesday } from '../conformance/fixtures.ts';
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

/** A clock that stands, and a storage that keeps 30 days of calls and deletes older ones at once. */
async function openForgetting(t: TestContext) {
  const clock = { time: wednesday, now: () => clock.time };
  return { clock, ...(await open(t, { clock, retention: { days: 30, every: 10 } })) };
}

const owner = account({ id: 'org_a', defaultWorkspaceId: null });

function lapsedCall(change: Partial<Generation>): Generation {
  const nothing = { cost: usd(0), listCost: usd(0), usage: {} };
  return generation({ accountId: owner.id, keyHash: 'k', ...change, ...nothing, lapsed: true });
}

/** What reports by whole days say. */
async function reports({ activity, generations }: Storage) {
  const range = { accountId: owner.id, firstDay: today - 5, lastDay: today + 90 };
  const groupings = ['day', 'model', 'provider', 'key'] as const;
  return {
    usage: await Promise.all(groupings.map((by) => generations.usage(0, by))),
    since: await generations.usage((today + 40) * dayLength, 'day'),
    partOfDay: await generations.usage((today + 40) * dayLength + 1, 'day'),
    activity: await activity.activity({ ...range, byWorkspace: true }),
  };
}

const requestsByDay = async ({ generations }: Storage) =>
  (await generations.usage(0, 'day')).map(({ group, requests, cost }) => [group, requests, cost]);

/** Waits until a query gives a row. */
async function until(query: string, database: string): Promise<void> {
  for (let left = 1500; (await server.run(query, database)).length === 0; left -= 1) {
    assert.ok(left > 0, query);
    await sleep(20);
  }
}

test('lapsed calls are reported, found by an index of their own', async (t) => {
  const { name, storage } = await open(t);
  await storage.ledger.settle(lapsedCall({ settledAt: wednesday }));
  assert.deepEqual(await requestsByDay(storage), [['2026-11-18', 1, 0n]]);
  // An index serves only who asks in its own words.
  await server.run(`alter database ${name} set enable_seqscan = off`);
  const plan = await server.run(`explain select id from generations where ${isLapsed()}`, name);
  assert.match(JSON.stringify(plan), /generations_lapsed/);
});

test('lapsed calls that retention deletes stay in the reports, as SQLite tells them', async (t) => {
  const { clock, name, storage } = await openForgetting(t);
  const plain = await openStorage('sqlite::memory:');
  t.after(() => plain.close());
  await plain.migrate();
  const places = [{}, { workspaceId: 'w', model: 'm', provider: 'p', endpointTag: 'p/fp8' }];
  // The oldest day has lapsed calls only.
  const calls = [lapsedCall({ settledAt: wednesday - dayLength }), lapsedCall({ settledAt: wednesday - 5 })];
  for (let day = 0; day < 60; day += 1) {
    const settledAt = wednesday + day * dayLength;
    const place = places[day % 2];
    const reached = { model: 'm', provider: 'p', endpointTag: 'p/bf16' };
    calls.push(generation({ accountId: owner.id, keyHash: 'k', ...reached, cost: usd(10), settledAt }));
    calls.push(lapsedCall({ id: `gen-${day}`, ...place, settledAt: (today + day) * dayLength }));
    calls.push(lapsedCall({ ...place, settledAt: (today + day + 1) * dayLength - 1 }));
  }
  for (const each of [storage, plain]) {
    await each.accounts.create(owner);
    await Promise.all(calls.map((call) => each.ledger.settle(call)));
  }
  const told = await reports(plain);
  assert.deepEqual(await reports(storage), told);
  assert.equal(told.usage[0]?.[1]?.requests, 4);
  clock.time = wednesday + 60 * dayLength;
  await until('select 1 from generations having count(*) = 90', name);
  assert.equal(await storage.generations.find('gen-29'), undefined);
  assert.deepEqual(await reports(storage), told);
  assert.deepEqual(await storage.ledger.verify(), []);
  // One that is still there gives way as before.
  const settledAt = wednesday + 50 * dayLength;
  const served = { id: 'gen-30', model: 'm', provider: 'p', endpointTag: 'p/bf16', cost: usd(7), settledAt };
  const settled = generation({ accountId: owner.id, keyHash: 'k', ...served });
  for (const each of [storage, plain]) await each.ledger.settle(settled);
  assert.deepEqual(await reports(storage), await reports(plain));
  assert.deepEqual(await storage.ledger.verify(), []);
});

test('a true charge that comes while retention deletes the lapsed record is counted alone', async (t) => {
  const { clock, name, storage } = await openForgetting(t);
  const lapsed = lapsedCall({ settledAt: wednesday });
  const alone = lapsedCall({ settledAt: wednesday });
  const settledAt = wednesday + 60 * dayLength;
  const settled = generation({ id: lapsed.id, accountId: owner.id, keyHash: 'k', cost: usd(7), settledAt });
  for (const record of [lapsed, alone]) await storage.ledger.settle(record);
  const other = new Client({ connectionString: server.url(name) });
  await other.connect();
  try {
    await other.query('begin');
    await other.query('select book_charges($1, $2)', [chargeLine(settled), '0']);
    clock.time = wednesday + 60 * dayLength;
    await until(
      `select 1 from pg_stat_activity where datname = '${name}' and wait_event_type = 'Lock'`,
      name,
    );
    await other.query('commit');
  } finally {
    await other.end();
  }
  await until('select 1 from generations having count(*) = 1', name);
  assert.deepEqual(await requestsByDay(storage), [
    ['2026-11-18', 1, 0n],
    ['2027-01-17', 1, 7n],
  ]);
  assert.deepEqual(await storage.ledger.verify(), []);
});
