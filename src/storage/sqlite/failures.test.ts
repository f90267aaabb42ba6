import assert from 'node:assert/strict';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { account, apiKey, generation, ledgerEntry, usd } from '../../../test/conformance/fixtures.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { HeadgateError } from '../../core/errors.ts';
import { type CreateSegmentFile, createSegmentFile } from '../journal/segment-file.ts';
import { journalDirectory } from './booking.ts';
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

test('while another process holds the lock settling fails in time, and works again after', async (t) => {
  const { file, storage } = await open(t, { busyTimeout: 50, journal: false });
  const other = openBeside(t, file);
  const settled = generation({ accountId: 'org_locked' });
  other.exec('begin immediate');
  await assert.rejects(storage.ledger.settle(settled), unavailable(/locked/));
  await assert.rejects(storage.accounts.create(account()), unavailable(/locked/));
  await storage.ping();
  assert.equal((await storage.ledger.balance('org_locked')).spentTotal, 0n);
  other.exec('rollback');
  await storage.ledger.settle(settled);
  assert.equal((await storage.ledger.balance('org_locked')).spentTotal, settled.cost);
});

test('a batch that fails half-way rejects all its callers and leaves nothing behind', async (t) => {
  const { file, storage } = await open(t, { journal: false });
  const other = openBeside(t, file);
  other.exec(`create trigger spoil before insert on generations when new.id = 'gen-spoilt'
    begin select raise(abort, 'spoilt'); end`);
  const batch = ['gen-a', 'gen-spoilt', 'gen-b'].map((id) => generation({ id, accountId: 'org_batch' }));
  const results = await Promise.allSettled(batch.map((one) => storage.ledger.settle(one)));
  for (const result of results) {
    assert.equal(result.status, 'rejected');
    unavailable(/spoilt/)(result.reason);
  }
  assert.equal(await storage.generations.find('gen-a'), undefined);
  assert.equal((await storage.ledger.balance('org_batch')).spentTotal, 0n);
  other.exec('drop trigger spoil');
  await Promise.all(batch.map((one) => storage.ledger.settle(one)));
  assert.equal((await storage.ledger.balance('org_batch')).spentTotal, 3000n);
  assert.deepEqual(await storage.ledger.verify(), []);
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
  const { file, storage } = await open(t, { journal: false });
  const before = generation({ accountId: 'org_gone' });
  await storage.ledger.settle(before);
  openBeside(t, file).exec('pragma wal_checkpoint(truncate)');
  await rename(file, `${file}.away`);
  await assert.rejects(storage.ledger.settle(generation()), unavailable(/no such file/));
  await assert.rejects(storage.ping(), unavailable(/no such file/));
  await assert.rejects(storage.ledger.append(ledgerEntry('org_gone')), unavailable(/no such file/));
  await assert.rejects(storage.keys.delete('hash', 0), unavailable(/no such file/));
  await rename(`${file}.away`, file);
  await storage.ping();
  await storage.ledger.settle(generation({ accountId: 'org_gone' }));
  assert.deepEqual(await storage.generations.find(before.id), before);
  assert.equal((await storage.ledger.balance('org_gone')).spentTotal, 2000n);
});

test('when the thread dies its callers are told, and the next call gets a new thread', async (t) => {
  const threads: Worker[] = [];
  const { storage } = await open(t, {
    journal: false,
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
    batches += messages.filter(({ request }) => request.kind === 'settle').length;
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

/** Real files on a disk that can be made to fail. */
function failingDisk() {
  const disk = { failure: '' };
  const fail = () => {
    if (disk.failure !== '') throw Object.assign(new Error(disk.failure), { code: disk.failure });
  };
  const createFile: CreateSegmentFile = async (path, size) => {
    fail();
    const file = await createSegmentFile(path, size);
    return {
      path,
      descriptor: file.descriptor,
      write: async (bytes, position) => {
        // As when the sync fails: the bytes may well be there.
        await file.write(bytes, position);
        fail();
      },
      truncate: (length) => file.truncate(length),
      close: () => file.close(),
      remove: () => file.remove(),
    };
  };
  return { disk, createFile };
}

for (const failure of ['ENOSPC', 'EROFS', 'EIO']) {
  test(`after ${failure} nothing is promised, paid work is refused, and it recovers with nothing lost or doubled`, async (t) => {
    const { disk, createFile } = failingDisk();
    const { file, storage } = await open(t, {
      journal: { createFile, retryDelay: 10, applyDelay: 1_000_000 },
    });
    const settle = (cost: number) =>
      storage.ledger.settle(generation({ accountId: 'org_a', cost: usd(cost) }));
    await settle(1);
    disk.failure = failure;
    const unavailable = { code: 'service_unavailable' };
    await assert.rejects(settle(10), unavailable);
    assert.equal(storage.writable, false);
    await Promise.all([assert.rejects(settle(20), unavailable), assert.rejects(settle(30), unavailable)]);
    await assert.rejects(storage.ping(), unavailable);
    assert.equal(storage.writable, false);
    // The promised one can be read all the while.
    assert.equal((await storage.ledger.balance('org_a')).spentTotal, 1n);
    disk.failure = '';
    await eventually('recovery', () => storage.writable);
    await settle(100);
    assert.equal((await storage.ledger.balance('org_a')).spentTotal, 101n);
    await storage.close();
    // What failed must not come back from the file it may have reached.
    const next = await openSqlite(file);
    t.after(() => next.close());
    assert.equal((await next.ledger.balance('org_a')).spentTotal, 101n);
    assert.deepEqual(await next.ledger.verify(), []);
  });
}

test('running requests are booked in the room set aside while new paid work is refused already', async (t) => {
  const { disk, createFile } = failingDisk();
  const full: CreateSegmentFile = (path, size) =>
    disk.failure === '' ? createSegmentFile(path, size) : createFile(path, size);
  const { file, storage } = await open(t, {
    journal: { createFile: full, retryDelay: 10, segmentSize: 2048 },
  });
  await storage.ledger.settle(generation({ cost: usd(1) }));
  const segments = async () =>
    (await readdir(journalDirectory(file))).filter((name) => name.endsWith('.charges'));
  await eventually('the segment ahead', async () => (await segments()).length === 2);
  disk.failure = 'ENOSPC';
  let booked = 1;
  while (storage.writable) {
    await storage.ledger.settle(generation({ cost: usd(1) }));
    booked += 1;
  }
  await storage.ledger.settle(generation({ cost: usd(1) }));
  disk.failure = '';
  await eventually('recovery', () => storage.writable);
  assert.equal((await storage.ledger.balance('org_unknown')).spentTotal, BigInt(booked + 1));
});

test('while there is no place for the journal paid work is refused, until one can be made', async (t) => {
  const { file, storage } = await open(t, { journal: { retryDelay: 10 } });
  const settle = () => storage.ledger.settle(generation({ accountId: 'org_a', cost: usd(1) }));
  await writeFile(journalDirectory(file), 'in the way of the folder');
  await assert.rejects(settle(), { code: 'service_unavailable' });
  assert.equal(storage.writable, false);
  await rm(journalDirectory(file));
  await eventually('recovery', () => storage.writable);
  await settle();
  await storage.close();
  assert.deepEqual(await readdir(journalDirectory(file)), []);
});

test('that there is no room for the journal is known before the first charge, where it is asked for ahead', async (t) => {
  const file = join(temporaryFolder(), 'headgate.db');
  await writeFile(journalDirectory(file), 'in the way of the folder');
  const storage = await openSqlite(file, { journal: { retryDelay: 10, ahead: true } });
  t.after(() => storage.close());
  await eventually('it is known', () => !storage.writable);
  await rm(journalDirectory(file));
  await eventually('recovery', () => storage.writable);
  await storage.migrate();
  await storage.ledger.settle(generation({ accountId: 'org_a', cost: usd(1) }));
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, 1n);
});
