import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import {
  account,
  apiKey,
  generation,
  ledgerEntry,
  unique,
  uniqueHash,
  usd,
} from '../../../test/conformance/fixtures.ts';
import { leaveTraces, tracesIn } from '../../../test/support/account-traces.ts';
import { runIn } from '../../../test/support/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openStorage } from '../open-storage.ts';
import { tablesOf } from '../transfer/sqlite-backup.ts';

function open() {
  const folder = temporaryFolder();
  const file = join(folder, '.headgate', 'headgate.db');
  return { folder, file, storage: openStorage(`sqlite:${file}`) };
}

test('a deleted account leaves no trace in any table but the audit entry with its sums', async () => {
  const { folder, file, storage: opening } = open();
  const storage = await opening;
  await storage.migrate();
  await storage.close();
  const who = { id: unique('org_'), keyHash: uniqueHash() };
  const database = new DatabaseSync(file);
  const columnsOf = (table: string) =>
    database.prepare(`select name, type from pragma_table_info('${table}')`).all();
  const tables = tablesOf(database).map((table) => ({
    table,
    columns: columnsOf(table).map(({ name, type }) => ({ name: String(name), isText: type === 'TEXT' })),
  }));
  for (const statement of leaveTraces(tables, who)) database.exec(statement);
  const rows = () =>
    tables.flatMap(({ table }) =>
      database
        .prepare(`select * from ${table}`)
        .all()
        .map((row) => ({ table, row })),
    );
  assert.ok(tracesIn(rows(), who).length > 30);
  database.exec(`update accounts set disabled = 0`);
  const refused = await runIn(folder, ['accounts', 'delete', who.id, '--purge']);
  assert.match(
    refused.err,
    /^error: account "org_\w+" is in use; first run "headgate accounts set org_\w+ --disabled true" and let/,
  );
  assert.match(
    (await runIn(folder, ['accounts', 'delete', who.id])).err,
    /^error: an account is deleted with its keys.* say so with --purge\n$/,
  );
  database.exec(`update accounts set disabled = 1`);
  const { code, out, err } = await runIn(folder, ['accounts', 'delete', who.id, '--purge', '--json']);
  assert.equal(code, 0, err);
  assert.equal(JSON.parse(out).sums.charged_usd, '0.000000001');
  const left = tracesIn(rows(), who);
  assert.deepEqual(
    left.map((text) => /^(\S+) .*"action":"([a-z.]+)"/.exec(text)?.slice(1)),
    // The refusal above too.
    [
      ['audit_entries', 'account.purge'],
      ['audit_entries', 'account.purge'],
    ],
    left.join('\n'),
  );
  database.close();
  assert.match(
    (await runIn(folder, ['accounts', 'delete', who.id, '--purge'])).err,
    /^error: no account "org_/,
  );
});

test('what others have stays right while a server goes on: sums, balances and what comes after', async (t) => {
  const { folder, storage: opening } = open();
  const server = await opening;
  t.after(() => server.close());
  await server.migrate();
  const [gone, kept] = [account({ disabled: true }), account()];
  const keys = { gone: apiKey(gone.id), kept: apiKey(kept.id) };
  for (const one of [gone, kept]) await server.accounts.create(one);
  for (const key of Object.values(keys)) await server.keys.create(key);
  await server.ledger.append(ledgerEntry(gone.id, { amount: usd(500) }));
  const call = (key: typeof keys.gone, nano: number) =>
    generation({ accountId: key.accountId, keyHash: key.hash, cost: usd(nano) });
  const settle = (key: typeof keys.gone, nano: number, count: number) =>
    Promise.all(Array.from({ length: count }, () => server.ledger.settle(call(key, nano))));
  await settle(keys.kept, 3, 40);
  // More than one transaction deletes, and the last rows of the table.
  await settle(keys.gone, 2, 2_300);
  assert.equal((await server.generations.usage(0, 'account')).length, 2);
  // In the table and not in the sums yet, between what is deleted.
  await settle(keys.kept, 3, 10);
  await settle(keys.gone, 2, 5);
  const { out, err } = await runIn(folder, ['accounts', 'delete', gone.id, '--purge', '--json']);
  const { sums } = JSON.parse(out || err);
  assert.deepEqual(sums.entries_usd, { grant: '0.0000005' });
  assert.equal(sums.charged_usd, '0.00000461');
  assert.deepEqual(Object.values(sums.months), [{ calls: 2_305, charged_usd: '0.00000461' }]);
  assert.deepEqual(await server.ledger.verify(), []);
  await settle(keys.kept, 3, 30);
  const [row, ...others] = await server.generations.usage(0, 'account');
  assert.deepEqual([row?.group, row?.requests, row?.cost, others], [kept.id, 80, usd(240), []]);
  assert.deepEqual(await server.ledger.verify(), []);
  // A call that was running when its account went.
  await server.ledger.settle(call(keys.gone, 2));
  assert.equal((await runIn(folder, ['accounts', 'delete', gone.id, '--purge'])).code, 0);
  assert.deepEqual(await server.ledger.verify(), []);
  assert.equal((await server.generations.usage(0, 'account')).length, 1);
});
