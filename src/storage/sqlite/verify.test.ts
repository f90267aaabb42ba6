import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { account, generation, ledgerEntry, usd, wednesday } from '../../../test/conformance/fixtures.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openSqlite } from './open-sqlite.ts';

test('verify names every kept total that somebody changed, and agrees again when it is put right', async (t) => {
  const file = join(temporaryFolder(), 'headgate.db');
  const storage = await openSqlite(file);
  const other = new DatabaseSync(file, { timeout: 1000 });
  t.after(async () => {
    other.close();
    await storage.close();
  });
  await storage.migrate();
  const owner = account({ id: 'org_a' });
  await storage.accounts.create(owner);
  await storage.ledger.append(ledgerEntry('org_a', { amount: usd(100), countsAsPurchase: true }));
  const charge = { accountId: 'org_a', keyHash: 'k', cost: usd(7), listCost: usd(9), isByok: true };
  await storage.ledger.settle(generation({ ...charge, id: 'gen-1' }));
  assert.deepEqual(await storage.ledger.verify(), []);

  const cases: readonly [change: string, undo: string, subject: string, kept: bigint, recomputed: bigint][] =
    [
      [
        'update account_totals set entries_total = 101',
        'update account_totals set entries_total = 100',
        'account org_a: entries',
        101n,
        100n,
      ],
      [
        'update account_totals set purchased_total = 0',
        'update account_totals set purchased_total = 100',
        'account org_a: purchases',
        0n,
        100n,
      ],
      [
        'update account_totals set charges_total = 8',
        'update account_totals set charges_total = 7',
        'account org_a: charges',
        8n,
        7n,
      ],
      [
        'update key_spend set charge = 6',
        'update key_spend set charge = 7',
        'key k: usage on 2026-11-18',
        6n,
        7n,
      ],
      [
        'update key_spend set byok = 10',
        'update key_spend set byok = 9',
        'key k: own-credential usage on 2026-11-18',
        10n,
        9n,
      ],
      [
        'update key_totals set charge = 0',
        'update key_totals set charge = 7',
        'key k: usage in all time',
        0n,
        7n,
      ],
      [
        'update key_totals set byok = 0',
        'update key_totals set byok = 9',
        'key k: own-credential usage in all time',
        0n,
        9n,
      ],
      [
        "insert into key_totals values ('invented', 5, 0, null)",
        "delete from key_totals where key_hash = 'invented'",
        'key invented: usage in all time',
        5n,
        0n,
      ],
      [
        "insert into key_spend values ('k', 999999999999, 5, 0)",
        'delete from key_spend where day = 999999999999',
        'key k: usage on day 999999999999',
        5n,
        0n,
      ],
      [
        'update byok_months set list_cost = 8',
        'update byok_months set list_cost = 9',
        'account org_a: own-credential usage in 2026-11',
        8n,
        9n,
      ],
    ];
  for (const [change, undo, subject, kept, recomputed] of cases) {
    other.exec(change);
    assert.deepEqual(await storage.ledger.verify(), [{ subject, kept, recomputed }], change);
    other.exec(undo);
    assert.deepEqual(await storage.ledger.verify(), [], undo);
  }

  other.exec("delete from generations where id = 'gen-1'");
  const subjects = (await storage.ledger.verify()).map((difference) => difference.subject);
  assert.deepEqual(subjects, [
    'account org_a: charges',
    'key k: usage on 2026-11-18',
    'key k: usage in all time',
    'key k: own-credential usage on 2026-11-18',
    'key k: own-credential usage in all time',
    'account org_a: own-credential usage in 2026-11',
    'account org_a: shown for the quarter hour from 2026-11-18T13:45Z of key k, acme/atlas-4',
    'account org_a: shown for the day from 2026-11-18T00:00Z of key k, acme/atlas-4',
  ]);
});

test('verify names credit that expired with another amount, or that never would', async (t) => {
  const file = join(temporaryFolder(), 'headgate.db');
  const clock = { time: wednesday, now: () => clock.time };
  const storage = await openSqlite(file, { clock });
  const other = new DatabaseSync(file, { timeout: 1000 });
  t.after(async () => {
    other.close();
    await storage.close();
  });
  await storage.migrate();
  await storage.accounts.create(account({ id: 'org_a' }));
  const give = (id: string, expiresAt: number) =>
    storage.ledger.append(ledgerEntry('org_a', { id, amount: usd(100), expiresAt }));
  await give('lapsed', wednesday + 1);
  await give('open', wednesday + 1000);
  clock.time += 10;
  const [expiry] = await storage.ledger.expire();
  assert.deepEqual(await storage.ledger.verify(), []);

  other.exec("update ledger_entries set amount = -90 where type = 'expiry'");
  assert.deepEqual(await storage.ledger.verify(), [
    { subject: 'account org_a: entries', kept: 100n, recomputed: 110n },
    { subject: `entry ${expiry?.id}: expired credit`, kept: 90n, recomputed: 100n },
  ]);
  other.exec("update ledger_entries set amount = -100 where type = 'expiry'");
  for (const next of ['null', String(wednesday + 2000)]) {
    other.exec(`update account_totals set next_expiry = ${next}`);
    assert.deepEqual(await storage.ledger.verify(), [
      { subject: 'account org_a: credit open that would not expire', kept: 0n, recomputed: 100n },
    ]);
  }
  other.exec(`update account_totals set next_expiry = ${wednesday}`);
  assert.deepEqual(await storage.ledger.verify(), []);
});
