import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledgerEntry, usd } from '../../../test/conformance/fixtures.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import { CreditReplay } from './credit-replay.ts';

test('what lowers the balance takes the credit that expires soonest first, then the next, credit without an end last', () => {
  const replay = new CreditReplay();
  const book = (spentBefore: bigint, change: Partial<LedgerEntry>) =>
    replay.book({ entry: ledgerEntry('org_a', change), spentBefore });
  book(0n, { id: 'lasting', amount: usd(100) });
  book(0n, { id: 'late', amount: usd(10), expiresAt: 2000 });
  book(0n, { id: 'soon', amount: usd(10), expiresAt: 1000 });
  assert.deepEqual(replay.next(), { id: 'soon', expiresAt: 1000, left: 10n });

  book(4n, { id: 'correction', type: 'adjustment', amount: usd(-3) });
  assert.deepEqual(replay.next(), { id: 'soon', expiresAt: 1000, left: 3n }, 'charges and corrections alike');
  replay.spendUpTo(9n);
  replay.spendUpTo(8n);
  assert.equal(replay.spent, 9n);
  assert.deepEqual(replay.next(), { id: 'late', expiresAt: 2000, left: 8n }, 'across two credits');
  assert.equal(book(9n, { type: 'expiry', relatedId: 'late', amount: usd(-8) }), 8n);
  assert.equal(replay.next(), undefined);
});

test('new credit pays a debt first, and an expiry that names no credit closes nothing', () => {
  const replay = new CreditReplay();
  replay.spendUpTo(30n);
  const credit = ledgerEntry('org_a', { id: 'credit', amount: usd(40), expiresAt: 1000 });
  replay.book({ entry: credit, spentBefore: 30n });
  assert.equal(replay.next()?.left, 10n);
  const expiry = ledgerEntry('org_a', { type: 'expiry', relatedId: 'nothing', amount: usd(-5) });
  assert.equal(replay.book({ entry: expiry, spentBefore: 30n }), 0n);
  assert.equal(replay.next()?.left, 10n);
});
