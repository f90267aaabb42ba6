import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { account, generation, ledgerEntry, usd } from '../../../test/conformance/fixtures.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import type { Storage } from '../../ports/storage.ts';
import { encodeFrame, segmentMark } from '../journal/frame.ts';
import { chargeLine } from '../sql/charge-line.ts';
import { openSqlite, type SqliteOptions } from './open-sqlite.ts';

const never = 1_000_000;

function newFile(): string {
  return join(temporaryFolder(), 'headgate.db');
}

async function openAt(t: TestContext, file: string, options: SqliteOptions = {}): Promise<Storage> {
  const storage = await openSqlite(file, options);
  t.after(() => storage.close());
  await storage.migrate();
  return storage;
}

const journalOf = (file: string) => `${file}-charges`;
const segmentsOf = async (file: string) =>
  (await readdir(journalOf(file))).filter((name) => name.endsWith('.charges')).sort();

/** What the database file itself holds, without anybody's journal. */
function bookedIn(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(database.prepare('select count(*) as booked from generations').get()?.booked);
  } finally {
    database.close();
  }
}

test('a charge is durable before the database has it, and every exact read waits for the database', async (t) => {
  const file = newFile();
  const storage = await openAt(t, file, { journal: { applyDelay: never } });
  const one = generation({ accountId: 'org_a', keyHash: 'k', cost: usd(5) });
  await storage.ledger.settle(one);
  assert.equal(bookedIn(file), 0);
  assert.equal(storage.waitingCharges, 1);
  const [segment = ''] = await segmentsOf(file);
  assert.match(
    await readFile(join(journalOf(file), segment), 'utf8'),
    new RegExp(`^headgate charges 1\n.*${one.id}`, 's'),
  );
  assert.deepEqual(await storage.generations.find(one.id), one);
  assert.equal(bookedIn(file), 1);
  assert.equal(storage.waitingCharges, 0);
  for (const read of [
    async () => (await storage.ledger.balance('org_a')).spentTotal,
    async () => (await storage.ledger.keySpend('k', one.settledAt)).usage.total,
    async () => (await storage.generations.usage(0, 'day'))[0]?.cost,
  ]) {
    const before = bookedIn(file);
    await storage.ledger.settle(generation({ accountId: 'org_a', keyHash: 'k', cost: usd(5) }));
    assert.equal(await read(), BigInt(5 * (before + 1)));
  }
});

test('without any read the database has it a moment later', async (t) => {
  const file = newFile();
  const storage = await openAt(t, file, { journal: { applyDelay: 1 } });
  await storage.ledger.settle(generation());
  await eventually('the charge in the database', () => bookedIn(file) === 1);
});

test('full segments are replaced, and deleted once the database has them', async (t) => {
  const file = newFile();
  const storage = await openAt(t, file, { journal: { segmentSize: 4096, applyDelay: never } });
  for (let count = 0; count < 80; count += 1) await storage.ledger.settle(generation({ cost: usd(1) }));
  assert.ok((await segmentsOf(file)).length >= 4);
  assert.equal((await storage.ledger.balance('org_unknown')).spentTotal, 80n);
  // The one that is written to, and the one ahead of it.
  await eventually('two segments', async () => (await segmentsOf(file)).length === 2);
  await storage.close();
  assert.deepEqual(await readdir(journalOf(file)), []);
});

test('another process reads what is promised without waiting, whether the first one lives or not', async (t) => {
  const file = newFile();
  const busy = await openAt(t, file, { journal: { applyDelay: never } });
  await busy.ledger.settle(generation({ accountId: 'org_a', cost: usd(3) }));
  const other = await openAt(t, file);
  assert.equal((await other.ledger.balance('org_a')).spentTotal, 3n);
  assert.equal((await segmentsOf(file)).length, 2, 'a living process keeps its segments');
  await busy.ledger.settle(generation({ accountId: 'org_a', cost: usd(4) }));
  await eventually('the second charge', async () => (await other.ledger.balance('org_a')).spentTotal === 7n);
  await other.ledger.settle(generation({ accountId: 'org_a', cost: usd(10) }));
  assert.equal((await busy.ledger.balance('org_a')).spentTotal, 17n);
  assert.deepEqual(await other.ledger.verify(), []);
});

test('what a dead process left is applied once, a torn end kept aside, and tidied up', async (t) => {
  const file = newFile();
  await (await openAt(t, file)).close();
  const directory = journalOf(file);
  const left = await leaveBehind(file, [generation({ cost: usd(1) }), generation({ cost: usd(2) })]);
  // The last write of the dead process broke off half way.
  const bytes = await readFile(left);
  await writeFile(left, bytes.subarray(0, bytes.length - 10));
  await writeFile(join(directory, `${'0'.repeat(16)}.lock`), '');
  for (let opening = 0; opening < 2; opening += 1) {
    const storage = await openAt(t, file);
    assert.equal((await storage.ledger.balance('org_unknown')).spentTotal, 1n);
    assert.deepEqual(await storage.ledger.verify(), []);
    const [aside = '', ...others] = await readdir(directory);
    assert.deepEqual(others, []);
    assert.deepEqual(await readFile(join(directory, aside)), bytes.subarray(0, bytes.length - 10));
    await storage.close();
  }
});

test('a segment of another version stops the start instead of being lost', async (t) => {
  const file = newFile();
  await (await openAt(t, file)).close();
  const left = await leaveBehind(file, []);
  await writeFile(left, 'headgate charges 2\nsomething');
  const storage = await openSqlite(file);
  t.after(() => storage.close());
  await assert.rejects(storage.migrate(), (error: Error) => {
    assert.match(String(error.cause), /another version/);
    return true;
  });
  await rm(left);
});

test('a charge the database refuses is kept, named by verify, and does not hold up the others', async (t) => {
  const file = newFile();
  const storage = await openAt(t, file);
  const other = new DatabaseSync(file, { timeout: 1000 });
  t.after(() => other.close());
  other.exec(`create trigger spoil before insert on generations when new.id = 'gen-spoilt'
    begin select raise(abort, 'spoilt'); end`);
  const batch = ['gen-a', 'gen-spoilt', 'gen-b'].map((id) =>
    generation({ id, accountId: 'org_a', cost: usd(7) }),
  );
  await Promise.all(batch.map((one) => storage.ledger.settle(one)));
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, 14n);
  const subject = 'charge gen-spoilt: refused by the database, kept in the journal';
  assert.deepEqual(await storage.ledger.verify(), [{ subject, kept: 0n, recomputed: 7n }]);
  assert.equal(storage.writable, true);
  await storage.close();
  const still = await openAt(t, file);
  assert.equal((await still.ledger.verify()).length, 1);
  await still.close();
  other.exec('drop trigger spoil');
  const again = await openAt(t, file);
  assert.deepEqual(await again.ledger.verify(), []);
  assert.equal((await again.ledger.balance('org_a')).spentTotal, 21n);
});

test('a charge of an own credential that the database refuses harms nobody who is booked with it', async (t) => {
  const file = newFile();
  const storage = await openAt(t, file);
  const settle = (accountId: string, listCost: bigint) =>
    storage.ledger.settleByok(
      generation({ accountId, keyHash: accountId, isByok: true, cost: usd(1), listCost: usd(listCost) }),
      { feeBasisPoints: 500, monthlyAllowance: usd(0) },
    );
  // What its own server counts may be any number: the month of this account would come to more than 64 bits.
  const most = 2n ** 63n - 1n;
  await settle('org_absurd', most);
  const charged = await Promise.all([
    settle('org_a', 100n),
    settle('org_absurd', most - 1n),
    settle('org_b', 200n),
  ]);
  assert.deepEqual(charged, [6n, 1n, 11n]);
  assert.equal((await storage.ledger.balance('org_b')).spentTotal, 11n);
  assert.equal((await storage.ledger.verify()).length, 1, 'it is kept');
});

test('while another process locks the database charges are taken; later paid work is refused until it lets go', async (t) => {
  const file = newFile();
  const storage = await openAt(t, file, { busyTimeout: 20, journal: { applyDelay: 1, retryDelay: 10 } });
  const owner = account();
  await storage.accounts.create(owner);
  const other = new DatabaseSync(file, { timeout: 1000 });
  t.after(() => other.close());
  other.exec('begin immediate');
  await storage.ledger.settle(generation({ accountId: owner.id, cost: usd(1) }));
  await eventually('refusal', () => !storage.writable);
  await storage.ledger.settle(generation({ accountId: owner.id, cost: usd(2) }));
  await assert.rejects(storage.ledger.balance(owner.id), { code: 'service_unavailable' });
  await assert.rejects(storage.ledger.append(ledgerEntry(owner.id)), { code: 'service_unavailable' });
  await assert.rejects(storage.ping(), { code: 'service_unavailable' });
  other.exec('rollback');
  await eventually('recovery', () => storage.writable);
  await storage.ping();
  assert.equal((await storage.ledger.balance(owner.id)).spentTotal, 3n);
});

test('closing while the database takes nothing leaves the charges to the next opening', async (t) => {
  const file = newFile();
  const storage = await openAt(t, file, { busyTimeout: 20, journal: { applyDelay: never } });
  const other = new DatabaseSync(file, { timeout: 1000 });
  t.after(() => other.close());
  other.exec('begin immediate');
  await storage.ledger.settle(generation({ cost: usd(9) }));
  await storage.close();
  other.exec('rollback');
  const next = await openAt(t, file);
  assert.equal((await next.ledger.balance('org_unknown')).spentTotal, 9n);
  assert.deepEqual(await readdir(journalOf(file)), []);
});

/** Writes a segment as a process that died would leave it, each generation a write of its own. */
async function leaveBehind(
  file: string,
  generations: readonly ReturnType<typeof generation>[],
): Promise<string> {
  await mkdir(journalOf(file), { recursive: true });
  const path = join(journalOf(file), `${'f00d'.repeat(4)}-00000001.charges`);
  await writeFile(path, Buffer.concat([segmentMark, ...generations.map(chargeLine).map(encodeFrame)]));
  return path;
}
