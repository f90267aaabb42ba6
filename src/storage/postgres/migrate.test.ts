import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startScriptedPostgres } from '../../../test/support/scripted-postgres.ts';
import { openStorage } from '../open-storage.ts';
import { migrations } from '../sql/migrations.ts';

test('processes that migrate together take turns: the lock comes before the first look at what is pending', async (t) => {
  const server = await startScriptedPostgres(() => undefined);
  const storage = await openStorage(server.url);
  t.after(async () => {
    await storage.close();
    await server.close();
  });
  assert.deepEqual(await storage.migrate(), [...migrations.keys()]);
  const texts = server.received.map(({ text }) => text.trim());
  const begun = texts.findIndex((text) => text.startsWith('begin '));
  assert.match(texts[begun + 1] ?? '', /^select pg_advisory_xact_lock\(\d+\)$/);
  assert.match(texts[begun + 2] ?? '', /^create table if not exists migrations/);
  assert.equal(texts.filter((text) => text.startsWith('insert into migrations')).length, migrations.size);
  const committed = texts.indexOf('commit');
  assert.match(texts[committed - 1] ?? '', /^create or replace function book_charges/);
  assert.ok(texts.findLastIndex((text) => text.startsWith('insert into migrations')) < committed);
});

test('a migration that is refused is rolled back', async (t) => {
  const server = await startScriptedPostgres(({ text }) =>
    text.includes('create table ledger_entries') ? { refusal: '42P07' } : undefined,
  );
  const storage = await openStorage(server.url);
  t.after(async () => {
    await storage.close();
    await server.close();
  });
  await assert.rejects(storage.migrate(), /name an empty one in database\.url/);
  assert.equal(server.received.at(-1)?.text, 'rollback');
});
