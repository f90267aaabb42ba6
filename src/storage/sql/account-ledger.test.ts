import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledgerEntry, storedAccount, usd, wednesday } from '../../../test/conformance/fixtures.ts';
import { largestUsd } from '../../core/money.ts';
import { openStorage } from '../open-storage.ts';
import { countsAsPurchase } from './account-ledger.ts';

test('books hold sums up to 64 bits, and refuse one more with nothing changed', async (t) => {
  const storage = await openStorage('sqlite::memory:', { clock: { now: () => wednesday } });
  t.after(() => storage.close());
  await storage.migrate();
  const one = usd(1);
  for (const sign of [1n, -1n]) {
    const id = await storedAccount(storage);
    const book = (amount: bigint, purchase = false) =>
      storage.ledger.append(ledgerEntry(id, { amount: usd(amount), countsAsPurchase: purchase }));
    await book(sign * (largestUsd - 5n));
    await book(sign * 5n);
    await assert.rejects(book(sign), {
      code: 'unprocessable',
      message: /more than 9223372036\.854775807 USD/,
    });
    assert.equal((await storage.ledger.balance(id)).balance, sign * largestUsd);
    await book(-sign * one);
    assert.equal((await storage.ledger.entries(id)).length, 3);
  }
  const id = await storedAccount(storage);
  const purchase = (amount: bigint, countsAs: boolean) =>
    storage.ledger.append(
      ledgerEntry(id, { type: 'purchase', amount: usd(amount), countsAsPurchase: countsAs }),
    );
  await purchase(largestUsd, true);
  await purchase(-10n, false);
  await assert.rejects(purchase(1n, true), { code: 'unprocessable' });
  await purchase(1n, false);
});

test('a refund lowers what counts as purchased and never raises it', () => {
  const counts = (change: Parameters<typeof ledgerEntry>[1]) => countsAsPurchase(ledgerEntry('a', change));
  assert.equal(counts({ type: 'purchase', countsAsPurchase: true }), true);
  assert.equal(counts({ type: 'purchase', countsAsPurchase: false }), false);
  assert.equal(counts({ type: 'refund', countsAsPurchase: true, amount: usd(-1) }), true);
  assert.equal(counts({ type: 'refund', countsAsPurchase: true, amount: usd(1) }), false);
});
