import assert from 'node:assert/strict';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { account, apiKey, generation, usd } from '../../../test/conformance/fixtures.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openStorage } from '../open-storage.ts';
import { backupSqlite, restoreSqlite } from './sqlite-backup.ts';

const now = Date.parse('2026-11-29T12:00:00Z');

async function installation(calls: number) {
  const folder = temporaryFolder();
  const file = join(folder, 'headgate.db');
  const storage = await openStorage(`sqlite:${file}`);
  await storage.migrate();
  const owner = account();
  const key = apiKey(owner.id);
  await storage.accounts.create(owner);
  await storage.keys.create(key);
  const settle = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        storage.ledger.settle(generation({ accountId: owner.id, keyHash: key.hash, cost: usd(7) })),
      ),
    );
  await settle(calls);
  return { folder, file, storage, owner, settle };
}

test('a backup is one moment of a database that is written to, whole and in one file of its own', async () => {
  const { folder, file, storage, owner, settle } = await installation(300);
  const copy = join(folder, 'copy.db');
  let isOver = false;
  const writes = (async () => {
    while (!isOver) await settle(40);
  })();
  const counts = await backupSqlite(file, copy);
  isOver = true;
  await writes;
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('copy')),
    ['copy.db'],
  );
  assert.equal((await stat(copy)).mode & 0o777, 0o600);
  assert.equal(counts.get('accounts'), 1);
  // What waited at that moment is booked when it is opened, each charge once.
  const opened = await openStorage(`sqlite:${copy}`);
  await opened.migrate();
  assert.deepEqual(await opened.ledger.verify(), []);
  const { charged } = await sums(copy);
  assert.ok(charged >= 300 * 7 && charged % 7 === 0);
  assert.equal((await opened.ledger.balance(owner.id)).spentTotal, usd(charged));
  await opened.close();
  await storage.close();
});

async function sums(file: string) {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare('select sum(cost) as charged from generations').get();
  database.close();
  return { charged: Number(row?.charged) };
}

test('a restored database is the backup, and the one before is kept', async () => {
  const { folder, file, storage, owner, settle } = await installation(20);
  const copy = join(folder, 'copy.db');
  await storage.ledger.balance(owner.id);
  await backupSqlite(file, copy);
  await settle(5);
  await assert.rejects(
    restoreSqlite(copy, file, now),
    /was not restored: a process has the database .* open: stop the server first\.$/,
  );
  await storage.close();
  const { before, counts } = await restoreSqlite(copy, file, now);
  assert.equal(before, `${file}.before-2026-11-29T12-00-00-000Z`);
  assert.equal(counts.get('generations'), 20);
  assert.equal((await sums(before)).charged, 25 * 7);
  const restored = await openStorage(`sqlite:${file}`);
  assert.deepEqual(await restored.migrate(), []);
  assert.deepEqual(await restored.ledger.verify(), []);
  assert.equal((await restored.ledger.balance(owner.id)).spentTotal, usd(20 * 7));
  await restored.close();
  assert.deepEqual((await readdir(folder)).sort(), [
    'copy.db',
    'headgate.db',
    'headgate.db.before-2026-11-29T12-00-00-000Z',
  ]);
});

test('a damaged database gives way to its backup; an empty place takes one too', async () => {
  const { folder, file, storage } = await installation(3);
  const copy = join(folder, 'copy.db');
  await storage.close();
  await backupSqlite(file, copy);
  await writeFile(file, Buffer.alloc(8192, 1));
  assert.equal((await restoreSqlite(copy, file, now)).counts.get('generations'), 3);
  const elsewhere = join(folder, 'new', 'headgate.db');
  assert.equal((await restoreSqlite(copy, elsewhere, now)).before, undefined);
  assert.equal((await sums(elsewhere)).charged, 21);
});

test('nothing is overwritten, and what is no backup is refused and leaves the database as it is', async () => {
  const { folder, file, storage } = await installation(1);
  await storage.close();
  const before = await readFile(file);
  const other = join(folder, 'other.db');
  await writeFile(other, 'text');
  await assert.rejects(backupSqlite(file, other), /is there already, and nothing is overwritten/);
  assert.equal(await readFile(other, 'utf8'), 'text');
  const part = join(folder, 'third.db.part');
  await writeFile(part, 'mine');
  await assert.rejects(backupSqlite(file, join(folder, 'third.db')), /third\.db\.part" is there already/);
  assert.equal(await readFile(part, 'utf8'), 'mine');
  await rm(part);
  await assert.rejects(restoreSqlite(other, file, now), /was not restored: file is not a database\.$/);
  const foreign = new DatabaseSync(join(folder, 'foreign.db'));
  foreign.exec('create table accounts (id text)');
  await assert.rejects(
    restoreSqlite(join(folder, 'foreign.db'), file, now),
    /it is no database of Headgate\.$/,
  );
  foreign.exec(
    `create table migrations (name text); insert into migrations values ('0001-start'), ('0999-future')`,
  );
  foreign.close();
  await assert.rejects(
    restoreSqlite(join(folder, 'foreign.db'), file, now),
    /it is of another version: this one does not know 0999-future; use that version\.$/,
  );
  await assert.rejects(restoreSqlite(join(folder, 'absent.db'), file, now), /was not restored: ENOENT/);
  assert.deepEqual(await readFile(file), before);
  assert.deepEqual((await readdir(folder)).sort(), ['foreign.db', 'headgate.db', 'other.db']);
});
