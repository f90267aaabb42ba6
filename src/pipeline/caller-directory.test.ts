import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { account, apiKey, generation, ledgerEntry, usd, wednesday } from '../../test/conformance/fixtures.ts';
import type { CallerStore } from '../ports/callers.ts';
import type { Generation } from '../ports/generations.ts';
import type { Storage } from '../ports/storage.ts';
import type { Caller } from '../settlement/caller.ts';
import { openStorage } from '../storage/open-storage.ts';
import { CallerDirectory } from './caller-directory.ts';

async function openBooks(t: TestContext): Promise<Storage> {
  const storage = await openStorage('sqlite::memory:');
  t.after(() => storage.close());
  await storage.migrate();
  return storage;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

/** The books, whose answers come as many turns of the event loop late as `wait` says when they are asked. */
function lateBooks({ callers }: Storage) {
  const books = {
    wait: 0,
    calendar: callers.calendar,
    keyOfSecret: (hash: string) => callers.keyOfSecret(hash),
    read: async (...asked: Parameters<CallerStore['read']>) => {
      const { wait } = books;
      const found = await callers.read(...asked);
      await turns(wait);
      return found;
    },
  };
  return books;
}

/** An account with 1,000 nano-USD and two keys, and a directory that knows both. */
async function begin(storage: Storage, store: CallerStore = storage.callers) {
  const owner = account();
  const keys = [apiKey(owner.id, { limit: usd(500) }), apiKey(owner.id)] as const;
  await storage.accounts.create(owner);
  for (const key of keys) await storage.keys.create(key);
  await storage.ledger.append(ledgerEntry(owner.id, { amount: usd(1_000) }));
  const clock = { time: wednesday, now: () => clock.time };
  const directory = new CallerDirectory(store, clock, 0);
  const find = async (index: 0 | 1): Promise<Caller> => {
    const caller = await directory.find(keys[index].hash);
    assert.ok(caller);
    return caller;
  };
  const callers = [await find(0), await find(1)] as const;
  const chargeOf = (cost: number, fields: Partial<Generation> = {}) =>
    generation({
      accountId: owner.id,
      keyHash: keys[0].hash,
      cost: usd(cost),
      listCost: usd(cost),
      ...fields,
    });
  const settle = async (charge: Generation, late = 0) => {
    const over = directory.begin(charge);
    await storage.ledger.settle(charge);
    await turns(late);
    over(charge);
  };
  return { owner, keys, clock, directory, find, callers, chargeOf, settle };
}

test('a charge through one key is in the money of every key of the account at once', async (t) => {
  const storage = await openBooks(t);
  const { callers, chargeOf, settle } = await begin(storage);
  await settle(chargeOf(30));
  for (const { funds } of callers) assert.deepEqual([funds.balance, funds.spentTotal], [970n, 30n]);
  const windows = { total: 30n, daily: 30n, weekly: 30n, monthly: 30n };
  assert.deepEqual(callers[0].spend.usage, windows);
});

test('what reading the books overlaps is neither lost nor counted twice, however late each answer comes', async (t) => {
  const storage = await openBooks(t);
  const books = lateBooks(storage);
  const step = fc.record({
    cost: fc.nat(9),
    ackLate: fc.nat(6),
    readLate: fc.constantFrom(0, 1, 5, 60),
    pause: fc.constantFrom(0, 2, 40),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      books.wait = 0;
      const { clock, directory, keys, callers, chargeOf, settle } = await begin(storage, books);
      let charged = 0n;
      const check = () => {
        assert.equal(callers[1].funds.balance, 1_000n - charged);
        assert.equal(callers[0].spend.usage.daily, charged);
      };
      const running: Promise<unknown>[] = [];
      for (const { cost, ackLate, readLate, pause } of steps) {
        books.wait = readLate;
        // Old enough to be read again while it still serves.
        clock.time += 1_001;
        directory.find(keys[0].hash);
        running.push(
          settle(chargeOf(cost, { settledAt: clock.time }), ackLate).then(() => {
            charged += BigInt(cost);
          }),
        );
        await turns(pause);
        check();
      }
      await Promise.all(running);
      check();
      await turns(100);
      check();
    }),
    { numRuns: 60 },
  );
});

test('charges of other processes are never counted twice, and all once nothing is on its way', async (t) => {
  const storage = await openBooks(t);
  const books = lateBooks(storage);
  const step = fc.record({ cost: fc.nat(9), elsewhere: fc.nat(9), readLate: fc.constantFrom(0, 1, 20) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
      books.wait = 0;
      const { clock, directory, keys, callers, chargeOf, settle } = await begin(storage, books);
      let sent = 0n;
      const running: Promise<unknown>[] = [];
      for (const { cost, elsewhere, readLate } of steps) {
        books.wait = readLate;
        clock.time += 1_001;
        directory.find(keys[0].hash);
        sent += BigInt(cost + elsewhere);
        running.push(settle(chargeOf(cost, { settledAt: clock.time }), readLate));
        running.push(storage.ledger.settle(chargeOf(elsewhere, { settledAt: clock.time })));
        await turns(2);
        assert.ok(callers[1].funds.balance >= 1_000n - sent);
        assert.ok(callers[0].spend.usage.total <= sent);
      }
      await Promise.all(running);
      clock.time += 3_001;
      await directory.find(keys[0].hash);
      assert.equal(callers[1].funds.balance, 1_000n - sent);
      assert.equal(callers[0].spend.usage.total, sent);
    }),
    { numRuns: 60 },
  );
});

test('a charge that was not booked is not counted', async (t) => {
  const storage = await openBooks(t);
  const { callers, chargeOf, directory } = await begin(storage);
  directory.begin(chargeOf(30))(undefined);
  assert.equal(callers[0].funds.balance, 1_000n);
});

test('what this process changes is known from the next request on, even while the books are read', async (t) => {
  const storage = await openBooks(t);
  const books = lateBooks(storage);
  const { owner, keys, clock, directory, find } = await begin(storage, books);
  clock.time += 1_500;
  books.wait = 200;
  const refreshing = directory.find(keys[0].hash);
  await storage.ledger.append(ledgerEntry(owner.id, { amount: usd(500) }));
  await storage.keys.update(keys[0].hash, { limit: usd(7) }, clock.time);
  books.wait = 0;
  directory.forget();
  const caller = await find(0);
  assert.deepEqual([caller.funds.balance, caller.key.limit], [1_500n, 7n]);
  await refreshing;
  await turns(250);
  assert.deepEqual([(await find(0)).funds.balance, (await find(0)).key.limit], [1_500n, 7n]);
});

test('a key that is deleted takes nothing of what the other keys of its account show', async (t) => {
  const storage = await openBooks(t);
  const { keys, clock, directory, find, chargeOf, settle } = await begin(storage);
  directory.forget(keys[0].hash);
  await find(0);
  await storage.keys.delete(keys[0].hash, clock.time);
  directory.forget(keys[0].hash);
  assert.equal(await directory.find(keys[0].hash), undefined);
  const other = await find(1);
  await settle(chargeOf(30, { keyHash: keys[1].hash }));
  assert.deepEqual([other.funds.balance, other.funds.spentTotal], [970n, 30n]);
});

test('forgetting one key leaves the others as they are known', async (t) => {
  const storage = await openBooks(t);
  const { keys, clock, directory } = await begin(storage);
  for (const key of keys) await storage.keys.update(key.hash, { disabled: true }, clock.time);
  directory.forget(keys[0].hash);
  const [first, second] = [directory.find(keys[0].hash), directory.find(keys[1].hash)];
  assert.ok(first instanceof Promise);
  assert.equal((await first)?.key.disabled, true);
  assert.ok(second !== undefined && !(second instanceof Promise));
  assert.equal(second.key.disabled, false);
});

test('what another process changes is known after three seconds', async (t) => {
  const storage = await openBooks(t);
  const { owner, clock, find } = await begin(storage);
  await storage.ledger.append(ledgerEntry(owner.id, { amount: usd(500) }));
  assert.equal((await find(0)).funds.balance, 1_000n);
  clock.time += 3_001;
  assert.equal((await find(0)).funds.balance, 1_500n);
});

test('windows begin anew with their day, week and month; a charge belongs to the day it was settled', async (t) => {
  const storage = await openBooks(t);
  const { clock, callers, chargeOf, settle } = await begin(storage);
  clock.time = Date.UTC(2026, 10, 30, 23, 59, 59);
  await settle(chargeOf(10, { settledAt: clock.time }));
  const before = chargeOf(5, { settledAt: clock.time });
  clock.time += 1_000;
  assert.deepEqual(callers[0].spend.usage, { total: 10n, daily: 0n, weekly: 10n, monthly: 0n });
  await settle(before);
  assert.deepEqual(callers[0].spend.usage, { total: 15n, daily: 0n, weekly: 15n, monthly: 0n });
  await settle(chargeOf(1, { settledAt: clock.time }));
  assert.deepEqual(callers[0].spend.usage, { total: 16n, daily: 1n, weekly: 16n, monthly: 1n });
});

test('a key this process knew yesterday has spent what others charged it today, from its first request on', async (t) => {
  const storage = await openBooks(t);
  const { clock, find, chargeOf } = await begin(storage);
  const [friday, saturday, monday] = [20, 21, 23].map((day) => Date.UTC(2026, 10, day, 9));
  const inOtherProcess = async (cost: number, settledAt = 0) => {
    clock.time = settledAt;
    await storage.ledger.settle(chargeOf(cost, { settledAt }));
  };
  await inOtherProcess(10, friday);
  assert.deepEqual((await find(0)).spend.usage, { total: 10n, daily: 10n, weekly: 10n, monthly: 10n });
  await inOtherProcess(500, saturday);
  assert.deepEqual((await find(0)).spend.usage, { total: 510n, daily: 500n, weekly: 510n, monthly: 510n });
  await inOtherProcess(7, monday);
  assert.deepEqual((await find(0)).spend.usage, { total: 517n, daily: 7n, weekly: 7n, monthly: 517n });
});

test('keys that grow old together are read again together, and at once for whom waits', async (t) => {
  const storage = await openBooks(t);
  const owner = account();
  await storage.accounts.create(owner);
  const keys = [apiKey(owner.id), apiKey(owner.id), apiKey(owner.id)] as const;
  for (const key of keys) await storage.keys.create(key);
  const read: (readonly string[])[] = [];
  const store: CallerStore = {
    calendar: storage.callers.calendar,
    keyOfSecret: (hash) => storage.callers.keyOfSecret(hash),
    read: (hashes, now) => {
      read.push(hashes);
      return storage.callers.read(hashes, now);
    },
  };
  const clock = { time: wednesday, now: () => clock.time };
  const directory = new CallerDirectory(store, clock, 3_600_000);
  const hashes = keys.map(({ hash }) => hash);
  await Promise.all(hashes.map((hash) => directory.find(hash)));
  clock.time += 1_500;
  for (const hash of hashes) assert.ok(!(directory.find(hash) instanceof Promise), 'it serves meanwhile');
  await turns(3);
  assert.deepEqual(read, [hashes]);
  clock.time += 500;
  // After `forget` the old value may not be used, and the gathered keys are read at once for the waiting caller.
  directory.forget(keys[0].hash);
  assert.equal((await directory.find(keys[0].hash))?.key.hash, keys[0].hash);
  assert.deepEqual(read, [hashes, hashes]);
  clock.time += 2_000;
  // 3.5 s after the first reading, which would be too old.
  const known = hashes.map((hash) => directory.find(hash) instanceof Promise);
  assert.deepEqual(known, [false, false, false]);
});

/** The books as they are when they are asked; their answers wait to be let go, in any order. */
function heldBooks({ callers }: Storage) {
  const answers: (() => void)[] = [];
  const store: CallerStore = {
    calendar: callers.calendar,
    keyOfSecret: (hash) => callers.keyOfSecret(hash),
    read: async (...asked) => {
      const found = await callers.read(...asked);
      await new Promise<void>((resolve) => answers.push(resolve));
      return found;
    },
  };
  const isAsked = async (times: number) => {
    while (answers.length < times) await nextTurn();
  };
  return { answers, isAsked, store };
}

async function beginHeld(t: TestContext) {
  const storage = await openBooks(t);
  const owner = account();
  const { hash } = apiKey(owner.id);
  await storage.accounts.create(owner);
  await storage.keys.create(apiKey(owner.id, { hash }));
  const { store, ...books } = heldBooks(storage);
  const clock = { time: wednesday, now: () => clock.time };
  return { hash, storage, clock, books, directory: new CallerDirectory(store, clock, 0) };
}

test('books that answer slower than a caller may be known for still answer everyone who asks', async (t) => {
  const { hash, clock, books, directory } = await beginHeld(t);
  const first = directory.find(hash);
  await books.isAsked(1);
  clock.time += 1_001;
  const second = directory.find(hash);
  await books.isAsked(2);
  books.answers[0]?.();
  // Would hang if it went on to wait for the next reading, and after that for the one after it.
  assert.equal((await first)?.key.hash, hash);
  books.answers[1]?.();
  const later = await second;
  assert.equal(later?.key.hash, hash);
  assert.equal(directory.find(hash), later);
});

test('of two readings the one that was asked for later counts, whichever answers first', async (t) => {
  const { hash, storage, clock, books, directory } = await beginHeld(t);
  const early = directory.find(hash);
  await books.isAsked(1);
  await storage.keys.update(hash, { disabled: true }, clock.time);
  clock.time += 1_001;
  const late = directory.find(hash);
  await books.isAsked(2);
  books.answers[1]?.();
  assert.equal((await late)?.key.disabled, true);
  books.answers[0]?.();
  assert.equal((await early)?.key.disabled, true);
  assert.equal(directory.find(hash), await late);
});
