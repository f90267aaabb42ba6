import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGood, wordsOf } from '../../dashboard/pages/health/alert-words.ts';

test('alerts read as sentences, whatever their data lack', () => {
  const key = { object: { type: 'key', name: 'batch' }, threshold: 0.8, limit_usd: 10 };
  const budget = { object: { interval: 'day', of: 'Research' }, threshold: 1, limit_usd: 2.5 };
  const account = { object: { name: 'Acme' }, limit_usd: 10, balance_usd: 4, spend_usd: 12 };
  const provider = { object: { id: 'north', name: 'NorthGPU' }, failures: 4 };
  const sentences = [
    { type: 'key.limit', data: key },
    { type: 'budget.limit', data: budget },
    { type: 'balance.low', data: account },
    { type: 'spend.rate', data: account },
    { type: 'provider.down', data: provider },
    { type: 'provider.up', data: provider },
    { type: 'ledger.difference', data: { differences: 2 } },
    { type: 'destination.failing', data: { object: { type: 'destination', name: 'Ours' }, status: 503 } },
    { type: 'of.tomorrow', data: {} },
    { type: 'key.limit', data: {} },
  ].map(wordsOf);
  assert.deepEqual(sentences, [
    'Key batch has used 80% of its limit of $10.00',
    'A budget (day) of Research is used to 100% of $2.50',
    'The balance of Acme is low: $4.00 of at least $10.00',
    'Acme was charged $12.00 within an hour, more than $10.00',
    'NorthGPU answers nothing: 4 attempts failed within five minutes',
    'NorthGPU answers again',
    'The ledger differs from its entries in 2 places',
    'Traces for Ours are not taken: sending is paused',
    'of.tomorrow',
    'Key  has used a part of its limit of –',
  ]);
  assert.deepEqual([isGood({ type: 'provider.up' }), isGood({ type: 'provider.down' })], [true, false]);
});
