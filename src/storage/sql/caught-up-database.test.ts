import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CaughtUpDatabase, type SqlDatabase } from './database.ts';
import { sql } from './statement.ts';

test('whatever is read or written, what waits is booked first, and its failure is the answer', async () => {
  const done: string[] = [];
  const note = async (what: string) => {
    done.push(what);
    return [];
  };
  const inner = {
    rows: () => note('rows'),
    change: () => note('change').then(() => 1),
    transaction: () => note('transaction'),
    snapshot: () => note('snapshot'),
  } as unknown as SqlDatabase;
  const calls: readonly (readonly [string, (db: SqlDatabase) => Promise<unknown>])[] = [
    ['rows', (db) => db.rows(sql`select 1`)],
    ['change', (db) => db.change(sql`delete from a`)],
    ['transaction', (db) => db.transaction(async () => 1)],
    ['snapshot', (db) => db.snapshot(async () => 1)],
  ];
  for (const [name, call] of calls) {
    done.length = 0;
    await call(new CaughtUpDatabase(inner, () => note('booked').then(() => {})));
    assert.deepEqual(done, ['booked', name]);
    const away = new CaughtUpDatabase(inner, () => Promise.reject(new Error('away')));
    await assert.rejects(call(away), /away/);
    assert.equal(done.length, 2, name);
  }
});
