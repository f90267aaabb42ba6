import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { ByokTerms } from '../../src/core/byok-fee.ts';
import { parseUsd } from '../../src/core/money.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { openStorage, type StorageOptions } from '../../src/storage/open-storage.ts';
import { account, apiKey, generation, ledgerEntry, usd, wednesday } from '../conformance/fixtures.ts';
import { type PostgresServer, startPostgres } from '../support/start-postgres.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

/** Longer than any wait of the storage, with room for a busy machine. */
const bounded = 12_000;
const quick: StorageOptions = { acquireTimeout: 500, statementTimeout: 1000, journal: { retryDelay: 50 } };

/** Kills the server; it runs again when the test is over. */
async function kill(t: TestContext): Promise<void> {
  t.after(() => server.start());
  await server.kill();
}

/** For what must not fail however slow the machine is. */
const patient: StorageOptions = { acquireTimeout: 30_000, statementTimeout: 30_000 };

interface Opened {
  readonly storage: Storage;
  readonly name: string;
  /** Where its journal lies. */
  readonly journal: string;
  reopen(options?: StorageOptions): Promise<Storage>;
}

async function open(
  t: TestContext,
  options: StorageOptions = {},
  urlOf = (name: string) => server.url(name),
): Promise<Opened> {
  const name = await server.createDatabase();
  const dataDirectory = await mkdtemp(join(tmpdir(), 'headgate-'));
  const opened: Storage[] = [];
  t.after(async () => {
    await Promise.all(opened.map((storage) => storage.close()));
    await rm(dataDirectory, { recursive: true, force: true });
  });
  const reopen = async (change: StorageOptions = {}) => {
    const storage = await openStorage(urlOf(name), { dataDirectory, ...quick, ...options, ...change });
    opened.push(storage);
    await storage.migrate();
    return storage;
  };
  return { storage: await reopen(), name, journal: join(dataDirectory, `${name}-charges`), reopen };
}

/** What nobody may wait for longer than this. */
async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  const late = sleep(milliseconds, undefined, { ref: false }).then(() =>
    assert.fail(`not within ${milliseconds} ms`),
  );
  return Promise.race([work, late]);
}

async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (await holds()) return;
    await sleep(25);
  }
  assert.fail(`never came about: ${what}`);
}

const unavailable = { code: 'service_unavailable' };

/** That a caller learns in time that it cannot be done now. */
function isTold(work: Promise<unknown>): Promise<void> {
  return within(bounded, assert.rejects(work, unavailable));
}

test('a server killed under load loses no promised charge, and books each once', async (t) => {
  const { storage, name } = await open(t);
  const promised: string[] = [];
  let stopped = false;
  const settleOn = async (caller: number) => {
    for (let count = 0; !stopped; count += 1) {
      const id = `gen-${caller}-${count}`;
      await within(
        bounded,
        storage.ledger.settle(
          generation({ id, accountId: 'org_a', keyHash: `k${caller % 3}`, cost: usd(7) }),
        ),
      );
      promised.push(id);
    }
  };
  const load = Promise.all(Array.from({ length: 12 }, (_, caller) => settleOn(caller)));
  for (let round = 0; round < 3; round += 1) {
    await sleep(150);
    await kill(t);
    const before = promised.length;
    await eventually('charges go on while the server is away', () => promised.length > before + 20);
    assert.equal(storage.writable, true);
    await isTold(storage.ping());
    await isTold(storage.ledger.balance('org_a'));
    await server.start();
    await eventually('recovery', () =>
      storage.ping().then(
        () => true,
        () => false,
      ),
    );
  }
  await sleep(150);
  stopped = true;
  await load;
  await eventually('the books', () =>
    storage.ledger.balance('org_a').then(
      () => true,
      () => false,
    ),
  );
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, BigInt(promised.length * 7));
  const rows = await server.run('select id from generations', name);
  assert.deepEqual(rows.map(({ id }) => String(id)).sort(), promised.sort());
  assert.deepEqual(await storage.ledger.verify(), []);
});

test('a server that has become read-only counts as away, and connections to it are not kept', async (t) => {
  const { storage, name } = await open(t);
  const settle = (id: string) => storage.ledger.settle(generation({ id, accountId: 'org_a', cost: usd(7) }));
  await settle('before');
  // As after a failover: whoever connects from now on reaches what was the primary.
  await server.run(`alter database ${name} set default_transaction_read_only = on`);
  await server.run(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await within(bounded, settle('meanwhile'));
  await isTold(storage.ping());
  assert.equal(storage.writable, true, 'there is a journal');
  assert.equal(storage.waitingCharges, 1);
  // Nobody ends the connections there are: they would stay what they are.
  await server.run(`alter database ${name} set default_transaction_read_only = off`);
  const isBooked = () =>
    storage.ping().then(
      () => storage.waitingCharges === 0,
      () => false,
    );
  await eventually('recovery', isBooked);
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, 14n);
});

test('a server whose disk is full counts as away for as long as it takes no charge', async (t) => {
  const { storage, name } = await open(t);
  await server.run(
    `create function refuse() returns trigger language plpgsql as $$
       begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
     create trigger full_disk before insert on generations execute function refuse()`,
    name,
  );
  await storage.ledger.settle(generation({ id: 'gen-kept', cost: usd(7) }));
  const isReady = () =>
    storage.ping().then(
      () => true,
      () => false,
    );
  await eventually('it is noticed', async () => !(await isReady()));
  for (let look = 0; look < 20; look += 1) {
    assert.equal(await isReady(), false);
    await sleep(25);
  }
  assert.equal(storage.writable, true, 'running requests are booked in the journal');
  await server.run('drop trigger full_disk on generations', name);
  await eventually('recovery', isReady);
  assert.equal((await storage.ledger.balance(generation().accountId)).spentTotal, 7n);
});

test('what the journal holds when the process ends is booked by the next one', async (t) => {
  const { storage, journal, reopen } = await open(t);
  await kill(t);
  await storage.ledger.settle(generation({ accountId: 'org_a', cost: usd(5) }));
  await within(bounded, storage.close());
  assert.equal((await readdir(journal)).filter((file) => file.endsWith('.charges')).length, 1);
  await server.start();
  const next = await reopen();
  assert.equal((await next.ledger.balance('org_a')).spentTotal, 5n);
  assert.deepEqual(await readdir(journal), []);
  assert.deepEqual(await next.ledger.verify(), []);
});

test('own credentials served while the database is away: the fee is decided and booked when it is back', async (t) => {
  const terms: ByokTerms = { feeBasisPoints: 500, monthlyAllowance: parseUsd(10) };
  const { storage } = await open(t);
  const served = (id: string) =>
    generation({ id, accountId: 'org_a', keyHash: 'k', isByok: true, cost: usd(0), listCost: parseUsd(8) });
  assert.equal(await storage.ledger.settleByok(served('gen-1'), terms), 0n);
  await kill(t);
  assert.equal(await within(bounded, storage.ledger.settleByok(served('gen-2'), terms)), 0n);
  await server.start();
  await eventually('recovery', () =>
    storage.ledger.balance('org_a').then(
      () => true,
      () => false,
    ),
  );
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, parseUsd(0.3));
  assert.equal(await storage.ledger.settleByok(served('gen-2'), terms), parseUsd(0.3), 'no second time');
  assert.equal(await storage.ledger.settleByok(served('gen-3'), terms), parseUsd(0.4));
  assert.deepEqual(await storage.ledger.verify(), []);
});

test('without a journal nothing is promised while the database is away', async (t) => {
  const { storage } = await open(t, { journal: false });
  await kill(t);
  await isTold(storage.ledger.settle(generation()));
  assert.equal(storage.writable, false);
  await server.start();
  await eventually('recovery', () => storage.writable);
  await storage.ledger.settle(generation({ accountId: 'org_a', cost: usd(1) }));
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, 1n);
});

test('a wrong password is told to the operator without either password', async (t) => {
  const { name } = await open(t);
  const url = server.urlWith(name, { password: 'guessed-wrong' });
  await assert.rejects(openStorage(url), (error: Error) => {
    assert.match(error.message, new RegExp(`"${name}" cannot be reached \\(password authentication failed`));
    assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /guessed-wrong/);
    return true;
  });
  await assert.rejects(openStorage(server.url('nowhere')), /"nowhere" cannot be reached \(.*does not exist/);
});

test('when every connection is busy readers are told in time, and charges are booked all the same', async (t) => {
  const { storage, name } = await open(t, { poolSize: 4 });
  const owner = account();
  await storage.accounts.create(owner);
  const block = await hold(server, name, 'lock table accounts in access exclusive mode');
  const readers = Array.from({ length: 6 }, () => isTold(storage.accounts.find(owner.id)));
  await storage.ledger.settle(generation({ accountId: owner.id, cost: usd(3) }));
  await Promise.all(readers);
  await block.end();
  assert.equal((await storage.accounts.find(owner.id))?.id, owner.id);
  assert.equal((await storage.ledger.balance(owner.id)).spentTotal, 3n);
});

test('a row somebody holds on to does not keep a charge waiting for ever', async (t) => {
  const { storage, name } = await open(t);
  await storage.ledger.settle(generation({ accountId: 'org_a', cost: usd(1) }));
  const block = await hold(
    server,
    name,
    "update account_totals set charges_total = charges_total where account_id = 'org_a'",
  );
  await within(bounded, storage.ledger.settle(generation({ accountId: 'org_a', cost: usd(2) })));
  await isTold(storage.ledger.balance('org_a'));
  assert.equal(storage.waitingCharges, 1);
  await block.end();
  await eventually('the charge', () =>
    storage.ledger.balance('org_a').then(
      ({ spentTotal }) => spentTotal === 3n,
      () => false,
    ),
  );
  assert.deepEqual(await storage.ledger.verify(), []);
});

test('batches of many processes that share every account and key do not get in each other’s way', async (t) => {
  const { storage, reopen, name } = await open(t, patient);
  const others = [storage, await reopen(), await reopen(), await reopen()];
  const accounts = ['org_c', 'org_a', 'org_d', 'org_b'];
  await Promise.all(
    others.flatMap((one, process) =>
      Array.from({ length: 300 }, (_, count) => {
        const id = `gen-${process}-${count}`;
        const accountId = accounts[(count + process) % 4] ?? '';
        return one.ledger.settle(
          generation({ id, accountId, keyHash: `k${(count * 7 + process) % 11}`, cost: usd(1) }),
        );
      }),
    ),
  );
  const [conflicts] = await server.run(`select deadlocks from pg_stat_database where datname = '${name}'`);
  assert.equal(Number(conflicts?.deadlocks), 0);
  for (const one of others) assert.equal(one.waitingCharges, 0);
  const spent = await Promise.all(accounts.map(async (id) => (await storage.ledger.balance(id)).spentTotal));
  assert.deepEqual(spent, [300n, 300n, 300n, 300n]);
  assert.deepEqual(await storage.ledger.verify(), []);
});

test('transfers in opposite directions at once all end', async (t) => {
  const { storage, reopen } = await open(t, patient);
  const other = await reopen();
  const [a, b] = [account(), account()];
  for (const one of [a, b]) await storage.accounts.create(one);
  const transfer = (from: string, to: string) => [
    ledgerEntry(from, { type: 'transfer', amount: usd(-1) }),
    ledgerEntry(to, { type: 'transfer', amount: usd(1) }),
  ];
  await Promise.all(
    Array.from({ length: 40 }, (_, count) =>
      count % 2 === 0
        ? storage.ledger.append(...transfer(a.id, b.id))
        : other.ledger.append(...transfer(b.id, a.id)),
    ),
  );
  assert.equal((await storage.ledger.balance(a.id)).balance, 0n);
  assert.deepEqual(await storage.ledger.verify(), []);
});

test('the same reference appended by two processes at once is booked once', async (t) => {
  const { storage, reopen } = await open(t, patient);
  const other = await reopen();
  const owner = account();
  await storage.accounts.create(owner);
  const booked = await Promise.all(
    Array.from({ length: 20 }, (_, count) =>
      (count % 2 === 0 ? storage : other).ledger.append(
        ledgerEntry(owner.id, { externalRef: 'once', amount: usd(9) }),
      ),
    ),
  );
  assert.equal(booked.filter(Boolean).length, 1);
  assert.equal((await storage.ledger.balance(owner.id)).balance, 9n);
});

test('a network that goes silent: everybody is told in time, running requests are booked, and all is well afterwards', async (t) => {
  const proxy = await startProxy(t);
  const { storage } = await open(t, {}, (name) => server.urlWith(name, { port: proxy.port }));
  const owner = account();
  const key = apiKey(owner.id);
  await storage.accounts.create(owner);
  await storage.keys.create(key);
  await storage.ledger.settle(generation({ accountId: owner.id, cost: usd(1) }));
  proxy.silent = true;
  const reads = [
    isTold(storage.keys.findWithAccount(key.hash)),
    isTold(storage.ledger.balance(owner.id)),
    isTold(storage.ping()),
  ];
  const charges = Array.from({ length: 5 }, () =>
    storage.ledger.settle(generation({ accountId: owner.id, cost: usd(1) })),
  );
  await Promise.all(reads);
  await within(bounded, Promise.all(charges));
  assert.equal(storage.writable, true);
  proxy.silent = false;
  await eventually('recovery', () =>
    storage.ledger.balance(owner.id).then(
      ({ spentTotal }) => spentTotal === 6n,
      () => false,
    ),
  );
  assert.equal((await storage.keys.findWithAccount(key.hash))?.key.hash, key.hash);
  assert.deepEqual(await storage.ledger.verify(), []);
});

test('a slow network slows everything down and breaks nothing', async (t) => {
  const proxy = await startProxy(t);
  proxy.delay = 60;
  const { storage } = await open(t, patient, (name) => server.urlWith(name, { port: proxy.port }));
  await Promise.all(
    Array.from({ length: 50 }, () => storage.ledger.settle(generation({ accountId: 'org_a', cost: usd(1) }))),
  );
  assert.equal(storage.waitingCharges, 0);
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, 50n);
});

test('a network that is cut for good does not keep a process from ending', async (t) => {
  const proxy = await startProxy(t);
  const { storage } = await open(t, {}, (name) => server.urlWith(name, { port: proxy.port }));
  await storage.ledger.settle(generation());
  proxy.silent = true;
  await within(bounded, storage.close());
});

test('a charge the database refuses is kept, named by verify, and holds up nobody else', async (t) => {
  const { storage, name, reopen } = await open(t, patient);
  await server.run(
    `create function spoil() returns trigger language plpgsql as $$ begin
       if new.id = 'gen-spoilt' then raise exception 'spoilt' using errcode = '22000'; end if; return new; end $$;
     create trigger spoil before insert on generations for each row execute function spoil()`,
    name,
  );
  const batch = ['gen-a', 'gen-spoilt', 'gen-b'].map((id) =>
    generation({ id, accountId: 'org_a', cost: usd(7) }),
  );
  await Promise.all(batch.map((one) => storage.ledger.settle(one)));
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, 14n);
  const subject = 'charge gen-spoilt: refused by the database, kept in the journal';
  assert.deepEqual(await storage.ledger.verify(), [{ subject, kept: 0n, recomputed: 7n }]);
  assert.equal(storage.writable, true);
  await storage.close();
  await server.run('drop trigger spoil on generations', name);
  const again = await reopen();
  assert.deepEqual(await again.ledger.verify(), []);
  assert.equal((await again.ledger.balance('org_a')).spentTotal, 21n);
});

test('text no column can hold costs one charge its place in the books, and no other', async (t) => {
  const { storage } = await open(t, patient);
  const odd = generation({ accountId: 'org_a', requestedModel: 'a\u0000b', cost: usd(4) });
  const fine = generation({ accountId: 'org_a', sessionId: 'a\u0000b\ud800', cost: usd(2) });
  await Promise.all([storage.ledger.settle(odd), storage.ledger.settle(fine)]);
  assert.deepEqual(await storage.generations.find(fine.id), fine);
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, 2n);
  assert.equal((await storage.ledger.verify()).length, 1);
});

test('a charge of an own credential that the database refuses harms nobody who is booked with it', async (t) => {
  const { storage } = await open(t, patient);
  const settle = (accountId: string, requestedModel: string) =>
    storage.ledger.settleByok(
      generation({ accountId, requestedModel, isByok: true, cost: usd(1), listCost: usd(100) }),
      { feeBasisPoints: 500, monthlyAllowance: usd(0) },
    );
  const charged = await Promise.all([
    settle('org_a', 'acme/atlas-4'),
    settle('org_odd', 'a\u0000b'),
    settle('org_b', 'acme/atlas-4'),
  ]);
  assert.deepEqual(charged, [6n, 1n, 6n]);
  assert.equal((await storage.ledger.balance('org_b')).spentTotal, 6n);
  assert.equal((await storage.ledger.balance('org_odd')).spentTotal, 0n);
  assert.equal((await storage.ledger.verify()).length, 1, 'it is kept');
});

test('processes that start together on an empty database migrate it once', async (t) => {
  const name = await server.createDatabase();
  const applied = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const storage = await openStorage(server.url(name));
      t.after(() => storage.close());
      return storage.migrate();
    }),
  );
  assert.equal(applied.filter((names) => names.length > 0).length, 1);
});

test('nothing outlives a transaction on a connection: a pooler may hand it to somebody else', async (t) => {
  const { storage, name } = await open(t, patient);
  const owner = account();
  await storage.accounts.create(owner);
  await storage.ledger.append(ledgerEntry(owner.id, { createdAt: wednesday }));
  await storage.ledger.settle(generation({ accountId: owner.id }));
  await storage.ledger.verify();
  const rows = await server.run(
    `select (select count(*) from pg_prepared_statements) as statements,
      (select count(*) from pg_locks where locktype = 'advisory') as locks`,
    name,
  );
  assert.deepEqual(rows, [{ statements: '0', locks: '0' }]);
  const idle = await server.run(
    `select count(*) as open from pg_stat_activity where datname = '${name}' and state like 'idle in transaction%'`,
  );
  assert.deepEqual(idle, [{ open: '0' }]);
});

/** Runs a statement in a transaction that stays open until it is ended. */
async function hold(on: PostgresServer, database: string, statement: string) {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: on.url(database) });
  await client.connect();
  await client.query(`begin; ${statement}`);
  return client;
}

/** A way to the server that can be slow, or lose everything sent over it. */
async function startProxy(t: TestContext) {
  const sockets = new Set<Socket>();
  const proxy = { port: 0, silent: false, delay: 0 };
  const pass = async (bytes: Buffer, to: Socket) => {
    if (proxy.delay > 0) await sleep(proxy.delay);
    if (!proxy.silent && !to.destroyed) to.write(bytes);
  };
  const listener = createServer((near) => {
    const far = createConnection(server.port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes: Buffer) => void pass(bytes, to));
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  if (typeof address === 'object' && address !== null) proxy.port = address.port;
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    listener.close();
  });
  return proxy;
}
