import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balanceHistory, emptyAt, expectedBalances } from '../../dashboard/pages/credits/balance-history.ts';
import { nanoOfText } from '../../dashboard/text/nano-of.ts';

const starts = ['2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z', '2026-11-22T00:00:00Z'];

test('a balance is followed backwards through charges and movements, exactly', () => {
  const moved = [
    { amount_nano: '-3', created_at: '2026-11-22T08:00:00Z' },
    { amount_nano: '9007199254740993', created_at: '2026-11-21T00:00:00Z' },
    { amount_nano: '5', created_at: '2026-11-19T00:00:00Z' },
  ];
  const facts = { balance: 9_007_199_254_740_984n, starts, charged: [1n, 2n, 8n], moved, isComplete: true };
  assert.deepEqual(balanceHistory(facts), [4n, 9_007_199_254_740_995n, 9_007_199_254_740_984n]);
});

test('before the oldest known movement nothing is claimed', () => {
  const moved = [{ amount_nano: '7', created_at: '2026-11-21T12:00:00Z' }];
  const facts = { balance: 10n, starts, charged: [0n, 0n, 0n], moved, isComplete: false };
  assert.deepEqual(balanceHistory(facts), [undefined, 10n, 10n]);
  assert.deepEqual(balanceHistory({ ...facts, isComplete: true }), [3n, 10n, 10n]);
});

test('credits are used up at a pace, or not at all', () => {
  assert.equal(emptyAt(30n, 10n, 0), 3 * 86_400_000);
  assert.equal(emptyAt(30n, 0n, 0), undefined);
  assert.equal(emptyAt(-1n, 10n, 0), undefined);
  assert.equal(emptyAt(10n ** 18n, 1n, 0), undefined);
});

test('what will be left at a pace is told to the day it is used up, exactly', () => {
  const day = 86_400_000;
  const midnights = [6, 30, 54, 78, 102].map((hours) => hours * 3_600_000);
  const facts = { balance: 9_007_199_254_740_993n, perDay: 4_000_000_000_000_000n, now: 0, midnights };
  assert.deepEqual(expectedBalances(facts), [4_007_199_254_740_993n, 7_199_254_740_993n, 0n]);
  assert.ok((emptyAt(facts.balance, facts.perDay, 0) ?? 0) < (midnights[3] ?? 0));
  assert.deepEqual(expectedBalances({ ...facts, perDay: 0n }), []);
  assert.deepEqual(expectedBalances({ ...facts, balance: -1n }), []);
  assert.equal(expectedBalances({ ...facts, perDay: 1n }).length, 4, 'no further than asked for');
  assert.deepEqual(expectedBalances({ balance: 3n, perDay: 3n, now: 0, midnights: [0, day, 2 * day] }), [0n]);
});

test('amounts that people write become whole nano-USD, or nothing', () => {
  assert.equal(nanoOfText('12.5'), 12_500_000_000n);
  assert.equal(nanoOfText(' $0.000000001 '), 1n);
  assert.equal(nanoOfText('900000000.123456789'), 900_000_000_123_456_789n);
  for (const wrong of ['', '-1', '1e3', '0.0000000001', '1,000', 'x', '1.']) {
    assert.equal(nanoOfText(wrong), undefined, wrong);
  }
});
