import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { rawSql } from '../../src/storage/sql/statement.ts';
import { openWithDailyUsage } from '../support/open-with-daily-usage.ts';
import { generation, usd, wednesday } from './fixtures.ts';
import { describeTampering } from './tampering.ts';

const day = 86_400_000;
const today = Math.floor(wednesday / day);

describeTampering('SQLite with sums by day', async (clock, t) => {
  const { storage, connection, verify } = await openWithDailyUsage(clock, t);
  Object.assign(storage.ledger, { verify });
  const run = (statement: string) =>
    connection.rows<Record<string, string | bigint | null>>(rawSql(statement));
  return {
    storage,
    keepsDailyUsage: true,
    run,
    columnsOf: async (table) => (await run(`pragma table_info(${table})`)).map(({ name }) => String(name)),
  };
});

/** Calls of the last forty days, one a day, of 1, 2, 3 … nano-USD. */
async function openFortyDays(t: TestContext) {
  const opened = await openWithDailyUsage({ now: () => wednesday }, t);
  for (let age = 39; age >= 0; age -= 1) {
    await opened.storage.ledger.settle(
      generation({
        id: `gen-${age}`,
        accountId: 'org_a',
        keyHash: 'k',
        settledAt: wednesday - age * day,
        model: 'm',
        provider: 'p',
        endpointTag: 'p/x',
        cost: usd(40 - age),
      }),
    );
  }
  assert.deepEqual(await opened.verify(), []);
  return opened;
}

const dayOf = (age: number) => new Date((today - age) * day).toISOString().slice(0, 10);

test('of years of days each one is compared once, whichever part of time it is in', async (t) => {
  const { database, verify } = await openFortyDays(t);
  for (let age = 0; age < 40; age += 1) {
    const grow = (by: string) =>
      database.exec(`update daily_usage set cost = cost ${by} where day = ${today - age}`);
    grow('+ 5');
    assert.deepEqual(await verify(), [
      {
        subject: `account org_a: usage reported for ${dayOf(age)} of key k, m at p/x`,
        kept: usd(45 - age),
        recomputed: usd(40 - age),
      },
    ]);
    grow('- 5');
  }
});

test('a sum that is missing, one too many, and one of what was not paid are named', async (t) => {
  const { database, verify } = await openFortyDays(t);
  database.exec(`delete from daily_usage where day = ${today}`);
  const subject = `account org_a: usage reported for ${dayOf(0)} of key k, m at p/x`;
  assert.deepEqual(await verify(), [{ subject, kept: 0n, recomputed: 40n }]);
  database.exec(
    `insert into daily_usage values ('org_a', ${today}, 'k', '', 'm', '', 'p', 'p/x', 1, 0, 0, 0, 0, 40, 0)`,
  );
  assert.deepEqual(await verify(), []);
  database.exec(
    `insert into daily_usage values ('org_a', ${today}, 'k', '', '', 'lost', '', '', 1, 0, 0, 0, 0, 0, 7)`,
  );
  assert.deepEqual(await verify(), [
    {
      subject: `account org_a: own-credential usage reported for ${dayOf(0)} of key k, lost at nobody`,
      kept: 7n,
      recomputed: 0n,
    },
  ]);
  database.exec(`delete from daily_usage where requested_model = 'lost'`);
  database.exec(`update daily_usage set requests = 2 where day = ${today}`);
  assert.deepEqual(await verify(), [
    {
      subject: `account org_a: requests or tokens reported for ${dayOf(0)} of key k, m at p/x`,
      kept: 40n,
      recomputed: 40n,
    },
  ]);
});

test('sums stand for calls that are deleted, and what was charged then is still compared', async (t) => {
  const { database, verify } = await openFortyDays(t);
  for (const age of [30, 20, 10]) {
    database.exec(`insert into kept_calls values (1, ${today - age})
      on conflict (slot) do update set first_day = excluded.first_day`);
    database.exec(`delete from generations where settled_at < ${(today - age) * day}`);
    assert.deepEqual(await verify(), []);
  }
  database.exec(`update daily_usage set cost = cost + 1 where day = ${today - 25}`);
  assert.deepEqual(
    (await verify()).map(({ subject }) => subject),
    ['account org_a: charges', `key k: usage on ${dayOf(25)}`, 'key k: usage in all time'],
  );
});
