import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generation, usd, wednesday } from '../../test/conformance/fixtures.ts';
import { utcCalendar } from '../core/limit-calendar.ts';
import { KeyTally } from './key-tally.ts';

test('own credentials are summed by list cost, beside what was charged, from the books and from here', () => {
  const tally = new KeyTally(utcCalendar, wednesday);
  const windows = (amount: number) => ({
    total: usd(amount),
    daily: usd(amount),
    weekly: usd(amount),
    monthly: usd(amount),
  });
  // What another process booked.
  tally.read({ usage: windows(10), byokUsage: windows(200) }, wednesday);
  const own = generation({ isByok: true, cost: usd(1), listCost: usd(30), settledAt: wednesday });
  const shared = generation({ cost: usd(5), listCost: usd(5), settledAt: wednesday });
  for (const charge of [own, shared]) {
    tally.begin(charge);
    tally.end(charge, charge);
  }
  assert.deepEqual(tally.at(wednesday), { usage: windows(16), byokUsage: windows(230) });
  tally.begin(own);
  tally.end(own, undefined);
  assert.deepEqual(tally.at(wednesday).byokUsage, windows(230), 'one that was not booked');
});
