import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { generation, usd } from '../../../test/conformance/fixtures.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { chargeLine } from '../charges/charge.ts';
import { Connection } from './connection.ts';
import { openSqlite } from './open-sqlite.ts';

async function connect(t: TestContext, file = join(temporaryFolder(), 'headgate.db')): Promise<Connection> {
  const storage = await openSqlite(file);
  await storage.migrate();
  await storage.close();
  const connection = new Connection({ file, readOnly: false, busyTimeout: 100 });
  t.after(() => connection.close());
  return connection;
}

/** Counts rows as another connection sees the file: a read on the connection itself would book what waits. */
function counterOf(t: TestContext, file: string): (table: string) => number {
  const database = new DatabaseSync(file);
  t.after(() => database.close());
  return (table) => Number(database.prepare(`select count(*) as rows from ${table}`).get()?.rows);
}

test('a commit waits for the disk, and readers do not wait for writers', async (t) => {
  const connection = await connect(t);
  assert.deepEqual({ ...Object(connection.rows('pragma synchronous', [])[0]) }, { synchronous: 2n });
  assert.deepEqual({ ...Object(connection.rows('pragma journal_mode', [])[0]) }, { journal_mode: 'wal' });
  assert.deepEqual({ ...Object(connection.rows('pragma foreign_keys', [])[0]) }, { foreign_keys: 1n });
});

test('a full database takes nothing of the batch that fills it, and goes on when there is room', async (t) => {
  const connection = await connect(t);
  const count = () => Object(connection.rows('select count(*) as kept from generations', [])[0]).kept;
  const lines = Array.from({ length: 200 }, () => chargeLine(generation({ userAgent: 'x'.repeat(500) })));
  connection.rows('pragma max_page_count = 30', []);
  assert.throws(() => connection.settle(lines), { errcode: 13 });
  assert.equal(count(), 0n);
  assert.deepEqual(connection.rows('select * from account_totals', []), []);
  connection.rows('pragma max_page_count = 100000', []);
  connection.settle(lines);
  assert.equal(count(), 200n);
});

test('charges wait in rows until somebody reads, and above a bound each makes room for itself', async (t) => {
  const file = join(temporaryFolder(), 'headgate.db');
  const connection = await connect(t, file);
  const count = counterOf(t, file);
  const line = () => chargeLine(generation({ cost: usd(1) }));
  connection.append([line() + line(), line()]);
  assert.deepEqual([count('pending_charges'), count('generations')], [2, 0]);
  assert.equal(Object(connection.rows('select count(*) as rows from generations', [])[0]).rows, 3n);
  assert.deepEqual([count('pending_charges'), count('generations')], [0, 3]);
  const most = 4_096;
  connection.append(Array.from({ length: most }, line));
  assert.equal(count('pending_charges'), most);
  // One transaction books 128 of them, which is all that this one waits for.
  connection.append([line()]);
  assert.deepEqual([count('pending_charges'), count('generations')], [most + 1 - 128, 3 + 128]);
  for (let turn = 0; turn < 40; turn += 1) {
    connection.append([Array.from({ length: 16 }, line).join(''), line()]);
    assert.ok(count('pending_charges') <= most);
  }
  connection.append(Array.from({ length: 2 * most }, line));
  assert.deepEqual([count('pending_charges'), count('generations')], [2 * most, 3 + most + 1 + 40 * 17]);
  connection.close();
  assert.deepEqual([count('pending_charges'), count('generations')], [0, 3 + 3 * most + 1 + 40 * 17]);
});

test('charges that cannot be booked wait in rows up to a bound, and are refused above it', async (t) => {
  const file = join(temporaryFolder(), 'headgate.db');
  const connection = await connect(t, file);
  const other = new DatabaseSync(file);
  t.after(() => other.close());
  other.exec('alter table key_totals rename to elsewhere');
  const lines = () => Array.from({ length: 2_000 }, () => chargeLine(generation({ cost: usd(1) })));
  for (let turn = 0; turn < 5; turn += 1) connection.append(lines());
  assert.throws(() => connection.append(lines()), /no such table: key_totals/);
  other.exec('alter table elsewhere rename to key_totals');
  connection.append(lines());
  assert.equal(Object(connection.rows('select count(*) as rows from generations', [])[0]).rows, 12_000n);
});

test('charges are booked some at a time, and in slices where something else is asked', async (t) => {
  const file = join(temporaryFolder(), 'headgate.db');
  const connection = await connect(t, file);
  const count = counterOf(t, file);
  const lines = (of: number) =>
    Array.from({ length: of }, () => chargeLine(generation({ cost: usd(1) }))).join('');
  connection.append([lines(1)]);
  connection.append([lines(15)]);
  assert.equal(connection.isBookingWorthwhile, false);
  connection.append(Array.from({ length: 20 }, () => lines(16)));
  assert.equal(connection.isBookingWorthwhile, true);
  assert.equal(connection.bookSome(), true);
  assert.deepEqual([count('pending_charges'), count('generations')], [13, 128]);
  // It is asked once a slice is over, so a slow machine books one row at least, and a fast one no more than a slice allows.
  let asked = 0;
  const isAsked = () => {
    asked += 1;
    const until = performance.now() + 2;
    while (performance.now() < until);
    return asked === 2;
  };
  assert.equal(connection.bookSome(isAsked), true);
  const before = count('generations');
  assert(asked <= 2 && before > 128 && before <= 256, `${asked} ${before}`);
  connection.book();
  assert.deepEqual([count('pending_charges'), count('generations')], [0, 336]);
  assert.equal(connection.isBookingWorthwhile, false);
  assert.equal(
    Object(connection.rows('select charges_total from account_totals', [])[0]).charges_total,
    usd(336),
  );
});

test('a sum beyond 64 bits is refused instead of becoming a float', async (t) => {
  const connection = await connect(t);
  const huge = () => chargeLine(generation({ cost: usd(2n ** 62n) }));
  connection.settle([huge()]);
  assert.throws(() => connection.settle([huge()]), { errcode: 3091 });
  assert.equal(
    Object(connection.rows('select charges_total from account_totals', [])[0]).charges_total,
    2n ** 62n,
  );
});

test('a connection opened for reading cannot write', async () => {
  const directory = temporaryFolder();
  const file = join(directory, 'headgate.db');
  await writeFile(file, '');
  const connection = new Connection({ file, readOnly: true, busyTimeout: 100 });
  assert.throws(() => connection.change('create table anything (id text)', []), /readonly/);
  connection.close();
});
