import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generation, usd, wednesday } from '../../../test/conformance/fixtures.ts';
import { openWithDailyUsage } from '../../../test/support/open-with-daily-usage.ts';
import { chargeLine, holdCharge } from '../charges/charge.ts';
import { verifyBooks } from './ledger.ts';

test('a charge the database refused is named once, until its true record is there', async (t) => {
  const { storage, connection } = await openWithDailyUsage({ now: () => wednesday }, t);
  const one = generation({ accountId: 'org_a', cost: usd(7) });
  for (let times = 0; times < 2; times += 1) await holdCharge(connection, chargeLine(one));
  const verify = async () => {
    // Brings the database up to what was settled.
    await storage.ledger.balance('org_a');
    return verifyBooks(connection, { keepsDailyUsage: false, now: wednesday });
  };
  const missing = [
    {
      subject: `charge ${one.id}: refused by the database, kept in held_charges`,
      kept: 0n,
      recomputed: 7n,
    },
  ];
  assert.deepEqual(await verify(), missing);
  await storage.ledger.settle({ ...one, cost: usd(0), listCost: usd(0), lapsed: true });
  assert.deepEqual(await verify(), missing, 'the record of a lapsed call is not it');
  await storage.ledger.settle(one);
  assert.deepEqual(await verify(), []);
});
