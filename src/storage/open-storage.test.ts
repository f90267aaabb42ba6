import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { account, generation } from '../../test/conformance/fixtures.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { prepareDatabase } from '../process/open-database.ts';
import { openStorage } from './open-storage.ts';
import { migrations as known } from './sql/migrations.ts';

const migrations = [...known.keys()];

test('a missing file is created with its directory, readable by its owner only', async () => {
  const directory = join(temporaryFolder(), 'new', 'deeper');
  const storage = await openStorage(`sqlite:${join(directory, 'headgate.db')}`);
  await storage.migrate();
  await storage.accounts.create(account());
  const names = await readdir(directory);
  assert.deepEqual(names.sort(), ['headgate.db', 'headgate.db-shm', 'headgate.db-wal']);
  for (const name of names) assert.equal((await stat(join(directory, name))).mode & 0o777, 0o600, name);
  await storage.close();
  assert.deepEqual(await readdir(directory), ['headgate.db']);
});

test('what was stored is there after closing and opening again', async (t) => {
  const url = `sqlite:${join(temporaryFolder(), 'headgate.db')}`;
  const first = await openStorage(url);
  assert.deepEqual(await first.migrate(), migrations);
  const owner = account();
  const settled = generation({ accountId: owner.id });
  await first.accounts.create(owner);
  const settling = first.ledger.settle(settled);
  await first.close();
  await settling;
  const second = await openStorage(url);
  t.after(() => second.close());
  assert.deepEqual(await second.migrate(), []);
  assert.deepEqual(await second.accounts.list(), [owner]);
  assert.deepEqual(await second.generations.find(settled.id), settled);
});

test('the schema is untouched until it is migrated, and then says so', async (t) => {
  const storage = await openStorage(`sqlite:${join(temporaryFolder(), 'headgate.db')}`);
  t.after(() => storage.close());
  const fresh = { applied: [], pending: migrations };
  assert.deepEqual(await storage.migrationStatus(), fresh);
  assert.deepEqual(await storage.migrationStatus(), fresh);
  await assert.rejects(storage.ledger.balance('org_none'));
  assert.deepEqual(await storage.migrate(), migrations);
  assert.deepEqual(await storage.migrationStatus(), { applied: migrations, pending: [] });
  await storage.ledger.settle(generation());
});

test('a start that may not migrate says what to do, and accepts a schema that is up to date', async (t) => {
  const storage = await openStorage(`sqlite:${join(temporaryFolder(), 'headgate.db')}`);
  t.after(() => storage.close());
  const careful = { database: { url: '', autoMigrate: false } };
  await assert.rejects(prepareDatabase(careful, storage), /needs 0001-start.*Run "headgate db migrate"/);
  await storage.migrate();
  assert.deepEqual(await prepareDatabase(careful, storage), []);
});

test('a file opened and migrated many times at the same moment is migrated once', async () => {
  const url = `sqlite:${join(temporaryFolder(), 'headgate.db')}`;
  const migrateOnce = async () => {
    const storage = await openStorage(url);
    const applied = await storage.migrate();
    await storage.close();
    return applied;
  };
  const results = await Promise.all(Array.from({ length: 6 }, migrateOnce));
  assert.deepEqual(results.flat(), migrations);
});

test('a database of a newer version is refused by name', async (t) => {
  const file = join(temporaryFolder(), 'headgate.db');
  const storage = await openStorage(`sqlite:${file}`);
  t.after(() => storage.close());
  await storage.migrate();
  const database = new DatabaseSync(file);
  database.exec("insert into migrations values ('9999-future', 0)");
  database.close();
  await assert.rejects(
    storage.migrate(),
    /newer version.*9999-future\. Run that version, or restore a backup/,
  );
  await assert.rejects(storage.migrationStatus(), /newer version.*9999-future/);
});

test('a database of the time before the first release is refused by name, and stays as it is', async (t) => {
  const file = join(temporaryFolder(), 'headgate.db');
  const database = new DatabaseSync(file);
  t.after(() => database.close());
  database.exec(
    "create table migrations (name text primary key not null, applied_at integer not null) strict; insert into migrations values ('0001-initial', 0), ('0039-limit-calendar', 0)",
  );
  const storage = await openStorage(`sqlite:${file}`);
  t.after(() => storage.close());
  const says =
    /before the first release \(0001-initial to 0039-limit-calendar\).*Commit 9e4b425d is the last that reads it.*empty database in database\.url/;
  await assert.rejects(storage.migrate(), says);
  await assert.rejects(storage.migrationStatus(), says);
  assert.equal(database.prepare("select name from sqlite_schema where type = 'table'").all().length, 1);
});

test('a database that holds tables of somebody else is left as it is, and the message says what to do', async (t) => {
  const file = join(temporaryFolder(), 'other.db');
  const database = new DatabaseSync(file);
  t.after(() => database.close());
  database.exec('create table accounts (balance integer)');
  const storage = await openStorage(`sqlite:${file}`);
  t.after(() => storage.close());
  await assert.rejects(
    storage.migrate(),
    /table accounts already exists.*name an empty one in database\.url/,
  );
  assert.equal(database.prepare('select name from sqlite_schema').all().length, 1);
});

test('a database of another application that keeps migrations of its own is left as it is', async (t) => {
  const own = [
    'create table migrations (id integer primary key, migration text, batch integer)',
    'create table migrations (version integer)',
    "create table migrations (name text, applied_at integer); insert into migrations values ('20200101-init', 0)",
  ];
  for (const [number, tables] of own.entries()) {
    const file = join(temporaryFolder(), `other-${number}.db`);
    const database = new DatabaseSync(file);
    t.after(() => database.close());
    database.exec(tables);
    const storage = await openStorage(`sqlite:${file}`);
    t.after(() => storage.close());
    await assert.rejects(storage.migrate(), /table "migrations" of another application/);
    await assert.rejects(storage.migrationStatus(), /table "migrations" of another application/);
    assert.deepEqual(
      database
        .prepare("select name from sqlite_schema where type = 'table'")
        .all()
        .map(({ name }) => name),
      ['migrations'],
    );
  }
});

test('a path that cannot hold a database is refused with the reason', async () => {
  const directory = temporaryFolder();
  await writeFile(
    join(directory, 'text.db'),
    'This is not a database, but long enough to be looked at.'.repeat(20),
  );
  await assert.rejects(openStorage(`sqlite:${join(directory, 'text.db')}`), /text\.db.*not a database/);
  await mkdir(join(directory, 'folder.db'));
  await assert.rejects(openStorage(`sqlite:${join(directory, 'folder.db')}`), /folder\.db.*EISDIR/);
  await writeFile(join(directory, 'file'), '');
  await assert.rejects(openStorage(`sqlite:${join(directory, 'file', 'x.db')}`), /x\.db.*(ENOTDIR|EEXIST)/);
});

test('the mode of a file that was there already is left alone', async () => {
  const file = join(temporaryFolder(), 'headgate.db');
  await writeFile(file, '');
  await chmod(file, 0o640);
  const storage = await openStorage(`sqlite:${file}`);
  await storage.migrate();
  await storage.close();
  assert.equal((await stat(file)).mode & 0o777, 0o640);
});

test('other URLs are refused with the remedy, without showing a password', async () => {
  await assert.rejects(openStorage('postgres://user:hunter2@127.0.0.1:1/headgate'), (error: Error) => {
    assert.match(error.message, /PostgreSQL database "headgate" cannot be reached \(.*ECONNREFUSED/);
    assert.doesNotMatch(inspect(error, { depth: 9 }), /hunter2/);
    return true;
  });
  await assert.rejects(openStorage('postgres://user:hunter2@[/headgate'), (error: Error) => {
    assert.match(error.message, /has not the form postgres:/);
    assert.doesNotMatch(inspect(error, { depth: 9 }), /hunter2/);
    return true;
  });
  await assert.rejects(openStorage('mysql://user:hunter2@db'), (error: Error) => {
    assert.match(error.message, /sqlite:.*"mysql:"/);
    assert.doesNotMatch(error.message, /hunter2/);
    return true;
  });
  await assert.rejects(openStorage('headgate.db'), /begins with "sqlite:"/);
  await assert.rejects(openStorage('sqlite:'), /begins with "sqlite:"/);
});
