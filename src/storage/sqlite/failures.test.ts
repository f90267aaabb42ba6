import assert from 'node:assert/strict';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { account, apiKey, generation, ledgerEntry, usd } from '../../../test/conformance/fixtures.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { HeadgateError } from '../../core/errors.ts';
import { openSqlite, type SqliteOptions } from './open-sqlite.ts';
import type { RequestMessage } from './protocol.ts';
import { startThread } from './thread-client.ts';

async function open(t: TestContext, options: SqliteOptions = {}) {
  const file = join(temporaryFolder(), 'headgate.db');
  const storage = await openSqlite(file, options);
  t.after(() => storage.close());
  await storage.migrate();
  return { file, storage };
}

/** Opens the file a second time, as another process would. */
function openBeside(t: TestContext, file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 1000 });
  t.after(() => database.close());
  return database;
}

function unavailable(cause: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof HeadgateError && error.cause instanceof Error);
    assert.equal(error.code, 'service_unavailable');
    assert.match(error.cause.message, cause);
    return true;
  };
}

test('while another process holds the lock settling fails in time and paid work is refused, until it lets go', async (t) => {
  const { file, storage } = await open(t, { busyTimeout: 50, retryDelay: 10 });
  const other = openBeside(t, file);
  const settled = generation({ accountId: 'org_locked' });
  other.exec('begin immediate');
  await assert.rejects(storage.ledger.settle(settled), unavailable(/locked/));
  await assert.rejects(storage.accounts.create(account()), unavailable(/locked/));
  assert.equal(storage.writable, false);
  await assert.rejects(storage.ping(), unavailable(/locked/));
  assert.equal((await storage.ledger.balance('org_locked')).spentTotal, 0n);
  other.exec('rollback');
  await eventually('recovery', () => storage.writable);
  await storage.ping();
  await storage.ledger.settle(settled);
  assert.equal((await storage.ledger.balance('org_locked')).spentTotal, settled.cost);
});

test('a request that waits for the lock is booked as soon as it is free', async (t) => {
  const { file, storage } = await open(t);
  const other = openBeside(t, file);
  other.exec('begin immediate');
  const settling = storage.ledger.settle(generation({ accountId: 'org_locked', cost: usd(1) }));
  await sleep(50);
  other.exec('rollback');
  await settling;
  assert.equal(storage.writable, true);
  assert.equal((await storage.ledger.balance('org_locked')).spentTotal, 1n);
});

test('a charge is in the file when it is settled, and in the ledger of every connection that reads', async (t) => {
  const { file, storage } = await open(t);
  const one = generation();
  await storage.ledger.settle(one);
  const other = openBeside(t, file);
  const waiting = other.prepare('select lines from pending_charges').all();
  const booked = other.prepare('select id from generations').all();
  assert.ok(JSON.stringify([...waiting, ...booked]).includes(one.id));
  const beside = await openSqlite(file);
  t.after(() => beside.close());
  assert.equal((await beside.ledger.balance(one.accountId)).spentTotal, one.cost);
  assert.equal(other.prepare('select count(*) as rows from pending_charges').get()?.rows, 0);
  assert.deepEqual(await storage.generations.find(one.id), one);
  assert.equal(storage.waitingCharges, 0);
});

test('a batch that cannot be booked is durable all the same, whole, and booked once it can be', async (t) => {
  const { file, storage } = await open(t, { retryDelay: 10 });
  const other = openBeside(t, file);
  other.exec('alter table key_totals rename to elsewhere');
  const batch = ['gen-a', 'gen-b', 'gen-c'].map((id) => generation({ id, accountId: 'org_batch' }));
  await Promise.all(batch.map((one) => storage.ledger.settle(one)));
  await assert.rejects(storage.ledger.balance('org_batch'), /no such table/, 'no sum without them is told');
  assert.equal(other.prepare('select count(*) as rows from generations').get()?.rows, 0);
  other.exec('alter table elsewhere rename to key_totals');
  assert.equal((await storage.ledger.balance('org_batch')).spentTotal, 3000n);
  await Promise.all(batch.map((one) => storage.ledger.settle(one)));
  assert.equal(storage.writable, true);
  assert.equal((await storage.ledger.balance('org_batch')).spentTotal, 3000n);
  assert.deepEqual(await storage.ledger.verify(), []);
});

test('a charge the database refuses is kept, named by verify, and does not stop the others', async (t) => {
  const { file, storage } = await open(t);
  const other = openBeside(t, file);
  other.exec(`create trigger spoil before insert on generations when new.id = 'gen-spoilt'
    begin select raise(abort, 'spoilt'); end`);
  const batch = ['gen-a', 'gen-spoilt', 'gen-b', 'gen-c'].map((id) =>
    generation({ id, accountId: 'org_a', cost: usd(7) }),
  );
  await Promise.all(batch.map((one) => storage.ledger.settle(one)));
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, 21n);
  const subject = 'charge gen-spoilt: refused by the database, kept in held_charges';
  assert.deepEqual(await storage.ledger.verify(), [{ subject, kept: 0n, recomputed: 7n }]);
  assert.equal(storage.writable, true);
  await storage.migrate();
  assert.equal((await storage.ledger.verify()).length, 1);
  other.exec('drop trigger spoil');
  await storage.migrate();
  assert.deepEqual(await storage.ledger.verify(), []);
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, 28n);
  assert.equal(other.prepare('select count(*) as held from held_charges').get()?.held, 0);
});

test('a charge of an own credential that the database refuses harms nobody who is booked with it', async (t) => {
  const { storage } = await open(t);
  const settle = (accountId: string, listCost: bigint) =>
    storage.ledger.settle(
      generation({ accountId, keyHash: accountId, isByok: true, cost: usd(1), listCost: usd(listCost) }),
      { feeBasisPoints: 500, monthlyAllowance: usd(0) },
    );
  // The server behind a credential may report any number: the month of this account would exceed 64 bits.
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

test('a statement at fault is no outage', async (t) => {
  const { storage } = await open(t);
  const owner = account();
  await storage.accounts.create(owner);
  const isPlain = (error: unknown) => error instanceof Error && !(error instanceof HeadgateError);
  await assert.rejects(storage.accounts.create(owner), isPlain);
  await assert.rejects(storage.keys.create(apiKey('org_none')), isPlain);
  await assert.rejects(storage.keys.create(apiKey(owner.id, { limit: usd(2n ** 70n) })), isPlain);
  await assert.rejects(storage.keys.create(apiKey(owner.id, { createdAt: 1.5 })), isPlain);
});

test('a deleted file is noticed, not filled in secret, and used again when it is back', async (t) => {
  const { file, storage } = await open(t, { retryDelay: 10 });
  const before = generation({ accountId: 'org_gone' });
  await storage.ledger.settle(before);
  openBeside(t, file).exec('pragma wal_checkpoint(truncate)');
  await rename(file, `${file}.away`);
  await assert.rejects(storage.ledger.settle(generation()), unavailable(/no such file/));
  await assert.rejects(storage.ping(), unavailable(/no such file/));
  await assert.rejects(storage.ledger.append(ledgerEntry('org_gone')), unavailable(/no such file/));
  await assert.rejects(storage.keys.delete('hash', 0), unavailable(/no such file/));
  await rename(`${file}.away`, file);
  await eventually('recovery', () => storage.writable);
  await storage.ping();
  await storage.ledger.settle(generation({ accountId: 'org_gone' }));
  assert.deepEqual(await storage.generations.find(before.id), before);
  assert.equal((await storage.ledger.balance('org_gone')).spentTotal, 2000n);
});

test('when the thread dies its callers are told, and the next call gets a new thread', async (t) => {
  const threads: Worker[] = [];
  const { storage } = await open(t, {
    startThread: (settings) => {
      const thread = startThread(settings);
      threads.push(thread);
      if (threads.length === 2) endWithSecondBatch(thread);
      return thread;
    },
  });
  const owner = account();
  await storage.accounts.create(owner);
  const appending = assert.rejects(
    storage.ledger.append(ledgerEntry(owner.id)),
    unavailable(/thread is gone/),
  );
  await threads[0]?.terminate();
  await appending;

  // More than one transaction takes: the first thousand are booked, the next are lost with the thread.
  const batch = Array.from({ length: 3000 }, () => generation({ accountId: owner.id, cost: usd(1) }));
  const settled = Promise.allSettled(batch.map((one) => storage.ledger.settle(one)));
  const lost = (await settled).filter((result) => result.status === 'rejected');
  assert.equal(lost.length, 1000);
  for (const { reason } of lost) unavailable(/thread is gone/)(reason);
  await Promise.all(batch.map((one) => storage.ledger.settle(one)));
  assert.equal(threads.length, 3);
  assert.deepEqual(await storage.ledger.balance(owner.id), {
    balance: -3000n,
    purchasedTotal: 0n,
    spentTotal: 3000n,
  });
  assert.deepEqual(await storage.ledger.verify(), []);
});

/** Ends a thread the moment the second batch of charges is sent to it. */
function endWithSecondBatch(thread: Worker): void {
  const send = thread.postMessage.bind(thread);
  let batches = 0;
  thread.postMessage = (messages: readonly RequestMessage[]) => {
    send(messages);
    batches += messages.filter(({ request }) => request.kind === 'append').length;
    if (batches === 2) void thread.terminate();
  };
}

test('a report gets a thread of its own, which ends when no more reports come', async (t) => {
  const ended: Promise<unknown>[] = [];
  const { storage } = await open(t, {
    idleTimeout: 30,
    startThread: (settings) => {
      const thread = startThread(settings);
      ended.push(new Promise((resolve) => thread.on('exit', resolve)));
      return thread;
    },
  });
  await storage.ledger.settle(generation());
  assert.equal(ended.length, 1);
  // Asked for together: one after the other the thread might have ended in between.
  const [days, differences] = await Promise.all([
    storage.generations.usage(0, 'day'),
    storage.ledger.verify(),
  ]);
  assert.equal(days[0]?.requests, 1);
  assert.deepEqual(differences, []);
  assert.equal(ended.length, 2);
  await ended[1];
  await storage.ledger.settle(generation());
  assert.equal((await storage.generations.usage(0, 'day'))[0]?.requests, 2);
  assert.equal(ended.length, 3);
});

/** Opens a database on a disk that `limit` makes small or large: it sets the most pages that the file may have. */
async function openOnSmallDisk(t: TestContext) {
  const threads: Worker[] = [];
  const { file, storage } = await open(t, {
    retryDelay: 10,
    reserveRoom: true,
    startThread: (settings) => {
      const thread = startThread(settings);
      threads.push(thread);
      return thread;
    },
  });
  const limit = (pages: number) => {
    const request = { kind: 'rows', sql: `pragma max_page_count = ${pages}`, values: [] };
    // Nobody waits for the reply.
    threads[0]?.postMessage([{ number: -1, request }]);
  };
  return { file, storage, limit };
}

test('a full disk: what is under way is booked in the room reserved, new paid work is refused until there is space', async (t) => {
  const { file, storage, limit } = await openOnSmallDisk(t);
  const room = `${file}-room`;
  const settle = () => storage.ledger.settle(generation({ accountId: 'org_a', cost: usd(1) }));
  await settle();
  assert.equal(storage.writable, true);
  await access(room);
  limit(1);
  let booked = 1;
  // The pages there are have some place left.
  await assert.rejects(
    async () => {
      for (; booked < 1000; booked += 1) await settle();
    },
    { code: 'service_unavailable' },
  );
  assert.equal(storage.writable, false);
  await assert.rejects(storage.ping(), { code: 'service_unavailable' });
  // What waits cannot be booked, sums cannot be written, and nothing of that is named as a difference.
  assert.ok((await storage.ledger.balance('org_a')).spentTotal <= BigInt(booked));
  const costOf = async () => Number((await storage.generations.usage(0, 'day'))[0]?.cost ?? 0n);
  assert.ok((await costOf()) <= booked);
  assert.deepEqual(await storage.ledger.verify(), []);
  limit(1_000_000);
  await eventually('recovery', () => storage.writable);
  await access(room);
  await settle();
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, BigInt(booked + 1));
  assert.equal(await costOf(), booked + 1);
  assert.deepEqual(await storage.ledger.verify(), []);
});

test('where no room can be reserved paid work is refused before the first charge, until it can', async (t) => {
  const file = join(temporaryFolder(), 'headgate.db');
  await mkdir(`${file}-room`);
  const storage = await openSqlite(file, { retryDelay: 10, reserveRoom: true });
  t.after(() => storage.close());
  assert.equal(storage.writable, false);
  await rm(`${file}-room`, { recursive: true });
  await eventually('recovery', () => storage.writable);
  await storage.migrate();
  await storage.ledger.settle(generation({ accountId: 'org_a', cost: usd(1) }));
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, 1n);
});
