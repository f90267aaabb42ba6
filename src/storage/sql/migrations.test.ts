import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openStorage } from '../open-storage.ts';
import { schemaDialect as ofPostgres } from '../postgres/open-postgres.ts';
import { schemaDialect as ofSqlite } from '../sqlite/open-sqlite.ts';
import { migrations } from './migrations.ts';

/** A storage on a file that somebody else has prepared. */
async function openPrepared(t: TestContext, prepare: string) {
  const file = join(temporaryFolder(), 'headgate.db');
  const database = new DatabaseSync(file);
  database.exec(prepare);
  database.close();
  const storage = await openStorage(`sqlite:${file}`);
  t.after(() => storage.close());
  return storage;
}

const names = [...migrations.keys()];

/** Digests of what published migrations do on SQLite and PostgreSQL. A new one is added when it is published. */
const published = new Map([['0001-start', '067fdcefcba9f25d']]);

test('all migrations are pending first, and applied once', async (t) => {
  const storage = await openPrepared(t, '');
  assert.deepEqual(await storage.migrationStatus(), { applied: [], pending: names });
  assert.deepEqual(await storage.migrate(), names);
  assert.deepEqual(await storage.migrate(), []);
  assert.deepEqual(await storage.migrationStatus(), { applied: names, pending: [] });
});

test('a published migration is never edited', () => {
  for (const [name, digest] of published) {
    const statements = [ofSqlite, ofPostgres].map((dialect) => migrations.get(name)?.(dialect));
    const found = createHash('sha256').update(JSON.stringify(statements)).digest('hex');
    assert.equal(found.slice(0, 16), digest, `${name} is published: write a new one instead`);
  }
});

test('a table "migrations" of another application is named and left alone', async (t) => {
  for (const table of [
    'create table migrations (version integer)',
    `create table migrations (name text, applied_at integer); insert into migrations values ('20260101_users', 1)`,
  ]) {
    const storage = await openPrepared(t, table);
    const refused = /has a table "migrations" of another application\. Headgate needs a database of its own/;
    await assert.rejects(storage.migrate(), refused);
    await assert.rejects(storage.migrationStatus(), refused);
  }
});

test('a database of a newer version names what this one does not know', async (t) => {
  const storage = await openPrepared(
    t,
    `create table migrations (name text, applied_at integer);
     insert into migrations values ('${names[0]}', 1), ('9998-later', 2), ('9999-last', 3)`,
  );
  await assert.rejects(
    storage.migrate(),
    /made by a newer version: .*know 9998-later, 9999-last\. Run that version/,
  );
});

test('a migration that another table stands in the way of changes nothing and says what to do', async (t) => {
  const storage = await openPrepared(t, 'create table ledger_entries (something text)');
  await assert.rejects(
    storage.migrate(),
    /something else is in this one: name an empty one in database\.url/,
  );
  assert.deepEqual((await storage.migrationStatus()).applied, []);
});
