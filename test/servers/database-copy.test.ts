import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openStorage } from '../../src/storage/open-storage.ts';
import { copyToPostgres } from '../../src/storage/transfer/copy-to-postgres.ts';
import { account, apiKey, generation, ledgerEntry, usd, wednesday } from '../conformance/fixtures.ts';
import { runIn } from '../support/command-line.ts';
import { type PostgresServer, startPostgres } from '../support/start-postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let server: PostgresServer;

before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

const contents = Buffer.from('What a file says.');
const hash = createHash('sha256').update(contents).digest('hex');
/** Characters that mean something in a list, a text or a number of PostgreSQL. */
const awkward = 'a,"b"\\{}\n\tNULL ’ß😀';

/** A database with a bit of everything that is hard to copy, open and in use. */
async function source() {
  const folder = temporaryFolder();
  const file = join(folder, '.headgate', 'headgate.db');
  const storage = await openStorage(`sqlite:${file}`);
  await storage.migrate();
  const owner = account({ name: awkward });
  const key = apiKey(owner.id, { name: awkward, limit: usd(2n ** 62n) });
  await storage.accounts.create(owner);
  await storage.keys.create(key);
  await storage.ledger.append(ledgerEntry(owner.id, { amount: usd(9_000_000_000_000_001n) }));
  const call = () =>
    generation({ accountId: owner.id, keyHash: key.hash, requestedModel: awkward, cost: usd(11) });
  const settle = (count: number) =>
    Promise.all(Array.from({ length: count }, () => storage.ledger.settle(call())));
  await settle(4_300);
  const owned = { accountId: owner.id, workspaceId: owner.defaultWorkspaceId ?? '' };
  const stored = {
    id: 'file_1',
    filename: awkward,
    mimeType: 'text/plain',
    size: contents.length,
    hash,
    createdAt: wednesday,
    expiresAt: null,
  };
  await storage.files.add(owned, stored, undefined, { files: 10, bytes: 10_000 });
  return { folder, file, storage, owner, key, owned, settle };
}

test('a database that is in use is copied whole, with its files, and the books agree on both sides', async (t) => {
  const { folder, file, storage, owner, key, owned, settle } = await source();
  const name = await server.createDatabase();
  let isOver = false;
  const writes = (async () => {
    while (!isOver) await settle(20);
  })();
  const report = await copyToPostgres({ file, url: server.url(name), readContents: async () => contents });
  isOver = true;
  await writes;
  assert.deepEqual(report.differences, { from: [], to: [] });
  assert.deepEqual(report.lostFiles, []);
  for (const { table, from, to } of report.tables) assert.equal(to, from, table);
  const calls = report.tables.find(({ table }) => table === 'generations')?.to ?? 0;
  assert.ok(calls >= 4_300);
  assert.deepEqual(
    (await readdir(join(folder, '.headgate'))).filter((one) => one.includes('copying')),
    [],
  );
  const copy = await openStorage(server.url(name));
  t.after(() => copy.close());
  assert.deepEqual(await copy.accounts.list(), [owner]);
  assert.deepEqual(await copy.keys.findWithAccount(key.hash), await storage.keys.findWithAccount(key.hash));
  assert.equal((await copy.ledger.balance(owner.id)).spentTotal, usd(calls * 11));
  assert.equal((await copy.ledger.entries(owner.id))[0]?.amount, usd(9_000_000_000_000_001n));
  assert.deepEqual(Buffer.from((await copy.files.contents(owned, hash)) ?? []), contents);
  const [sums] = await server.run(
    'select (select sum(requests) from daily_usage) as days, (select sum(requests) from usage_sums where span = 1440) as sums, (select sum(cost) from usage_sums where span = 15) as cost',
    name,
  );
  assert.deepEqual(sums, { days: String(calls), sums: String(calls), cost: String(calls * 11) });
  // A charge that was booked before it was copied is not booked again, and new ones are.
  await copy.ledger.settle(generation({ accountId: owner.id, keyHash: key.hash, cost: usd(5) }));
  assert.equal((await copy.ledger.balance(owner.id)).spentTotal, usd(calls * 11 + 5));
  assert.deepEqual(await copy.ledger.verify(), []);
  await storage.close();
});

test('the command copies, says what is next, and refuses a target that is not empty or is no PostgreSQL', async () => {
  const { folder, storage } = await source();
  await mkdir(join(folder, '.headgate', 'files'), { recursive: true });
  const url = server.url(await server.createDatabase());
  const copied = await runIn(folder, ['db', 'copy', '--to', url, '--json']);
  assert.equal(copied.code, 0, copied.err);
  const { lost_files: lost, tables } = JSON.parse(copied.out);
  assert.deepEqual(lost, ['file_1']);
  assert.ok(tables.length > 10);
  const again = await runIn(folder, ['db', 'copy', '--to', url]);
  assert.equal(again.code, 1);
  assert.match(
    again.err,
    /^error: The target is not empty: there are accounts in it\. Name a new database\.\n$/,
  );
  const wrong = await runIn(folder, ['db', 'copy', '--to', 'sqlite:other.db']);
  assert.match(wrong.err, /^error: The target must be postgres:/);
  await storage.close();
  await writeFile(join(folder, 'headgate.yaml'), `database: { url: ${JSON.stringify(url)} }\n`);
  for (const [argv, says] of [
    [['db', 'backup', 'x.db'], /pg_dump --format=custom/],
    [['db', 'restore', 'x.db'], /pg_restore/],
    [['db', 'copy', '--to', url], /pg_dump and pg_restore/],
  ] as const) {
    assert.match((await runIn(folder, argv)).err, says);
  }
  assert.equal((await runIn(folder, ['ledger', 'verify'])).code, 0);
});

test('a charge that waited when the moment was taken is in the copy, once', async () => {
  const { file, storage, owner, key } = await source();
  await storage.close();
  const one = await openStorage(`sqlite:${file}`);
  // The row waits a quarter of a second before it is booked; the copy is made of the file with it.
  await one.ledger.settle(generation({ accountId: owner.id, keyHash: key.hash, cost: usd(11) }));
  const name = await server.createDatabase();
  const report = await copyToPostgres({ file, url: server.url(name), readContents: async () => undefined });
  assert.equal(report.tables.find(({ table }) => table === 'generations')?.to, 4_301);
  await one.close();
});
