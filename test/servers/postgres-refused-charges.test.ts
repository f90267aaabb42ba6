import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generation, usd } from '../conformance/fixtures.ts';
import { patient, TroubledPostgres } from '../support/troubled-postgres.ts';

const postgres = new TroubledPostgres();

test('a charge the database refuses is kept, named by verify, and holds up nobody else', async (t) => {
  const { storage, name, reopen } = await postgres.open(t, patient);
  await postgres.server.run(
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
  const subject = 'charge gen-spoilt: refused by the database, kept in held_charges';
  assert.deepEqual(await storage.ledger.verify(), [{ subject, kept: 0n, recomputed: 7n }]);
  assert.equal(storage.writable, true);
  await storage.close();
  await postgres.server.run('drop trigger spoil on generations', name);
  const again = await reopen();
  assert.deepEqual(await again.ledger.verify(), []);
  assert.equal((await again.ledger.balance('org_a')).spentTotal, 21n);
});

test('text no column can hold costs one charge its place in the books, and no other', async (t) => {
  const { storage } = await postgres.open(t, patient);
  const odd = generation({ accountId: 'org_a', requestedModel: 'a\u0000b', cost: usd(4) });
  const fine = generation({ accountId: 'org_a', sessionId: 'a\u0000b\ud800', cost: usd(2) });
  await Promise.all([storage.ledger.settle(odd), storage.ledger.settle(fine)]);
  assert.deepEqual(await storage.generations.find(fine.id), fine);
  assert.equal((await storage.ledger.balance('org_a')).spentTotal, 2n);
  assert.equal((await storage.ledger.verify()).length, 1);
});

test('a charge of an own credential that the database refuses harms nobody who is booked with it', async (t) => {
  const { storage } = await postgres.open(t, patient);
  const settle = (accountId: string, requestedModel: string) =>
    storage.ledger.settle(
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
