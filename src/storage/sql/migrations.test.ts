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
const published = new Map([
  ['0001-initial', '5ae487a550c54387'],
  ['0002-own-credentials', 'd8310bf22f3eb2ec'],
  ['0003-caches-and-privacy', 'd61bab0e1a1f44a3'],
  ['0004-daily-usage', '96601e42e82f5025'],
  ['0005-lapsed-calls', '18b588df8ac33071'],
  ['0006-daily-usage-by-day', '6acc4ff955d70eae'],
  ['0007-held-charges', 'a951a93c185154f9'],
  ['0008-key-settings', 'b4867c3572604568'],
  ['0009-turns', '226433584ddd25b8'],
  ['0010-audit-log', 'a6e3b29112d5d902'],
  ['0014-presets', 'e1366528d14e4f21'],
  ['0016-dashboard-sessions', 'ab46f166e77ef08b'],
  ['0017-usage-sums', '513a0292d56512d5'],
  ['0018-account-rates', '9f4c8745e1713618'],
  ['0019-alerts', '2932a0cb9f7c2282'],
  ['0020-usage-folded', 'dcb8b6300bd045e9'],
  ['0021-plugin-defaults', '8cf687e84de1c0d8'],
  ['0022-guardrails', 'a0f4ee99ed1c37f9'],
  ['0025-files', '4f19091bf3cc8566'],
  ['0028-calls-of-routers', '0b95c47e3c48bf3e'],
  ['0030-jobs', 'e5720c61664d8960'],
  ['0031-key-secrets', '06f3032dbf590a98'],
  ['0034-cached-hits', 'e62599113e869b58'],
  ['0036-false-positives', 'b446a335910b76aa'],
]);

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
