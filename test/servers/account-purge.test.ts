import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { generation, unique, uniqueHash } from '../conformance/fixtures.ts';
import { leaveTraces, tracesIn } from '../support/account-traces.ts';
import { runIn } from '../support/command-line.ts';
import { openOnPostgres } from '../support/open-on-postgres.ts';
import { type PostgresServer, startPostgres } from '../support/start-postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: PostgresServer;

before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

test('a deleted account leaves no trace on PostgreSQL either, and what others have stays right', async (t) => {
  const { name, storage } = await openOnPostgres(server, t);
  const described = await server.run(
    "select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' order by 1, 2",
    name,
  );
  const columns = Map.groupBy(described, (row) => String(row.table_name));
  const tables = Array.from(columns, ([table, rows]) => ({
    table,
    columns: rows.map((row) => ({ name: String(row.column_name), isText: row.data_type === 'text' })),
  }));
  const who = { id: unique('org_'), keyHash: uniqueHash() };
  for (const statement of leaveTraces(tables, who)) await server.run(statement, name);
  const other = generation();
  await storage.ledger.settle(other);
  const rows = async () => {
    const found: { table: string; row: object }[] = [];
    for (const { table } of tables) {
      for (const row of await server.run(`select * from ${table}`, name)) found.push({ table, row });
    }
    return found;
  };
  assert.ok(tracesIn(await rows(), who).length > 30);
  const folder = temporaryFolder();
  await writeFile(join(folder, 'headgate.yaml'), `database: { url: ${JSON.stringify(server.url(name))} }\n`);
  const { code, err } = await runIn(folder, ['accounts', 'delete', who.id, '--purge']);
  assert.equal(code, 0, err);
  const left = tracesIn(await rows(), who);
  assert.deepEqual(
    left.map((text) => text.split(' ')[0]),
    ['audit_entries'],
    left.join('\n'),
  );
  assert.deepEqual(await storage.generations.find(other.id), other);
  assert.deepEqual(await storage.ledger.verify(), []);
});
