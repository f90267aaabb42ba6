import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { ByokTerms } from '../../src/core/byok-fee.ts';
import { parseUsd } from '../../src/core/money.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { account, apiKey, generation, usd } from '../conformance/fixtures.ts';
import { eventually } from '../support/eventually.ts';
import { bounded, isTold, patient, TroubledPostgres, within } from '../support/troubled-postgres.ts';

const postgres = new TroubledPostgres();

test('a server killed under load loses no promised charge, and books each once', async (t) => {
  const { storage, name } = await postgres.open(t);
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
    await postgres.kill(t);
    const before = promised.length;
    await eventually('charges go on while the server is away', () => promised.length > before + 20);
    assert.equal(storage.writable, true);
    await isTold(storage.ping());
    await isTold(storage.ledger.balance('org_a'));
    await postgres.server.start();
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
  const rows = await postgres.server.run('select id from generations', name);
  assert.deepEqual(rows.map(({ id }) => String(id)).sort(), promised.sort());
  assert.deepEqual(await storage.ledger.verify(), []);
});

test('a server that has become read-only counts as away, and connections to it are not kept', async (t) => {
  const { storage, name } = await postgres.open(t);
  const settle = (id: string) => storage.ledger.settle(generation({ id, accountId: 'org_a', cost: usd(7) }));
  await settle('before');
  // As after a failover: whoever connects from now on reaches what was the primary.
  await postgres.server.run(`alter database ${name} set default_transaction_read_only = on`);
  await postgres.server.run(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  );
  await within(bounded, settle('meanwhile'));
  await isTold(storage.ping());
  assert.equal(storage.writable, true, 'there is a spool');
  assert.equal(storage.waitingCharges, 1);
  // Nobody ends the connections there are: they would stay what they are.
  await postgres.server.run(`alter database ${name} set default_transaction_read_only = off`);
  const isBooked = () =>
    storage.ping().then(
      () => storage.waitingCharges === 0,
      () => false,
    );
  await eventually('recovery', isBooked);
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, 14n);
});

test('a server whose disk is full counts as away for as long as it takes no charge', async (t) => {
  const { storage, name } = await postgres.open(t);
  await postgres.server.run(
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
  assert.equal(storage.writable, true, 'running requests are kept in the spool');
  await postgres.server.run('drop trigger full_disk on generations', name);
  await eventually('recovery', isReady);
  assert.equal((await storage.ledger.balance(generation().accountId)).spentTotal, 7n);
});

test('what the spool holds when the process ends is booked by the next one', async (t) => {
  const { storage, spool, reopen } = await postgres.open(t);
  await postgres.kill(t);
  await storage.ledger.settle(generation({ accountId: 'org_a', cost: usd(5) }));
  await within(bounded, storage.close());
  assert.equal((await readdir(spool)).filter((file) => file.endsWith('.spool')).length, 1);
  await postgres.server.start();
  const next = await reopen();
  assert.equal((await next.ledger.balance('org_a')).spentTotal, 5n);
  assert.deepEqual(await readdir(spool), []);
  assert.deepEqual(await next.ledger.verify(), []);
});

test('own credentials served while the database is away: the fee is decided and booked when it is back', async (t) => {
  const terms: ByokTerms = { feeBasisPoints: 500, monthlyAllowance: parseUsd(10) };
  const { storage } = await postgres.open(t);
  const served = (id: string) =>
    generation({ id, accountId: 'org_a', keyHash: 'k', isByok: true, cost: usd(0), listCost: parseUsd(8) });
  assert.equal(await storage.ledger.settle(served('gen-1'), terms), 0n);
  await postgres.kill(t);
  assert.equal(await within(bounded, storage.ledger.settle(served('gen-2'), terms)), 0n);
  await postgres.server.start();
  await eventually('recovery', () =>
    storage.ledger.balance('org_a').then(
      () => true,
      () => false,
    ),
  );
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, parseUsd(0.3));
  assert.equal(await storage.ledger.settle(served('gen-2'), terms), parseUsd(0.3), 'no second time');
  assert.equal(await storage.ledger.settle(served('gen-3'), terms), parseUsd(0.4));
  assert.deepEqual(await storage.ledger.verify(), []);
});

test('without a spool nothing is promised while the database is away', async (t) => {
  const { storage } = await postgres.open(t, { dataDirectory: undefined });
  await postgres.kill(t);
  await isTold(storage.ledger.settle(generation()));
  assert.equal(storage.writable, false);
  await postgres.server.start();
  await eventually('recovery', () => storage.writable);
  await storage.ledger.settle(generation({ accountId: 'org_a', cost: usd(1) }));
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, 1n);
});

test('a wrong password is told to the operator without either password', async (t) => {
  const { name } = await postgres.open(t);
  const url = postgres.server.urlWith(name, { password: 'guessed-wrong' });
  await assert.rejects(openStorage(url), (error: Error) => {
    assert.match(error.message, new RegExp(`"${name}" cannot be reached \\(password authentication failed`));
    assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /guessed-wrong/);
    return true;
  });
  await assert.rejects(
    openStorage(postgres.server.url('nowhere')),
    /"nowhere" cannot be reached \(.*does not exist/,
  );
});

test('a network that goes silent: everybody is told in time, running requests are booked, and all is well afterwards', async (t) => {
  const proxy = await postgres.startProxy(t);
  const { storage } = await postgres.open(t, {}, (name) =>
    postgres.server.urlWith(name, { port: proxy.port }),
  );
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
  const proxy = await postgres.startProxy(t);
  proxy.delay = 60;
  const { storage } = await postgres.open(t, patient, (name) =>
    postgres.server.urlWith(name, { port: proxy.port }),
  );
  await Promise.all(
    Array.from({ length: 50 }, () => storage.ledger.settle(generation({ accountId: 'org_a', cost: usd(1) }))),
  );
  assert.equal(storage.waitingCharges, 0);
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, 50n);
});

test('a network that is cut for good does not keep a process from ending', async (t) => {
  const proxy = await postgres.startProxy(t);
  const { storage } = await postgres.open(t, {}, (name) =>
    postgres.server.urlWith(name, { port: proxy.port }),
  );
  await storage.ledger.settle(generation());
  proxy.silent = true;
  await within(bounded, storage.close());
});
