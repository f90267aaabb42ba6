import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStorage } from '../../src/storage/open-storage.ts';
import { account, generation, ledgerEntry, usd, wednesday } from '../conformance/fixtures.ts';
import { eventually } from '../support/eventually.ts';
import { bounded, hold, isTold, patient, TroubledPostgres, within } from '../support/troubled-postgres.ts';

const postgres = new TroubledPostgres();

test('when every connection is busy readers are told in time, and charges are booked all the same', async (t) => {
  const { storage, name } = await postgres.open(t, { poolSize: 4 });
  const owner = account();
  await storage.accounts.create(owner);
  const block = await hold(postgres.server, name, 'lock table accounts in access exclusive mode');
  const readers = Array.from({ length: 6 }, () => isTold(storage.accounts.find(owner.id)));
  await storage.ledger.settle(generation({ accountId: owner.id, cost: usd(3) }));
  await Promise.all(readers);
  await block.end();
  assert.equal((await storage.accounts.find(owner.id))?.id, owner.id);
  assert.equal((await storage.ledger.balance(owner.id)).spentTotal, 3n);
});

test('what took too long is ended at the server too, where it would pile up beyond the connections of the pool', async (t) => {
  const { storage, name } = await postgres.open(t, { statementTimeout: 100 });
  const block = await hold(postgres.server, name, 'lock table accounts in access exclusive mode');
  await isTold(storage.accounts.find('org_a'));
  await eventually('nobody who waits for the lock', async () => {
    const waiting = await postgres.server.run(
      `select pid from pg_stat_activity where datname = '${name}' and wait_event_type = 'Lock'`,
    );
    return waiting.length === 0;
  });
  await block.end();
});

test('a row somebody holds on to does not keep a charge waiting for ever', async (t) => {
  const { storage, name } = await postgres.open(t);
  await storage.ledger.settle(generation({ accountId: 'org_a', cost: usd(1) }));
  const block = await hold(
    postgres.server,
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
  const { storage, reopen, name } = await postgres.open(t, patient);
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
  const [conflicts] = await postgres.server.run(
    `select deadlocks from pg_stat_database where datname = '${name}'`,
  );
  assert.equal(Number(conflicts?.deadlocks), 0);
  for (const one of others) assert.equal(one.waitingCharges, 0);
  const spent = await Promise.all(accounts.map(async (id) => (await storage.ledger.balance(id)).spentTotal));
  assert.deepEqual(spent, [300n, 300n, 300n, 300n]);
  assert.deepEqual(await storage.ledger.verify(), []);
});

test('transfers in opposite directions at once all end', async (t) => {
  const { storage, reopen } = await postgres.open(t, patient);
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
  const { storage, reopen } = await postgres.open(t, patient);
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

test('processes that start together on an empty database migrate it once', async (t) => {
  const name = await postgres.server.createDatabase();
  const applied = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const storage = await openStorage(postgres.server.url(name));
      t.after(() => storage.close());
      return storage.migrate();
    }),
  );
  assert.equal(applied.filter((names) => names.length > 0).length, 1);
});

test('nothing outlives a transaction on a connection: a pooler may hand it to somebody else', async (t) => {
  const { storage, name } = await postgres.open(t, patient);
  const owner = account();
  await storage.accounts.create(owner);
  await storage.ledger.append(ledgerEntry(owner.id, { createdAt: wednesday }));
  await storage.ledger.settle(generation({ accountId: owner.id }));
  await storage.ledger.verify();
  const rows = await postgres.server.run(
    `select (select count(*) from pg_prepared_statements) as statements,
      (select count(*) from pg_locks where locktype = 'advisory') as locks`,
    name,
  );
  assert.deepEqual(rows, [{ statements: '0', locks: '0' }]);
  const idle = await postgres.server.run(
    `select count(*) as open from pg_stat_activity where datname = '${name}' and state like 'idle in transaction%'`,
  );
  assert.deepEqual(idle, [{ open: '0' }]);
});
