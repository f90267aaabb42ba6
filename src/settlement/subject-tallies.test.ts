import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generation, usd, wednesday } from '../../test/conformance/fixtures.ts';
import { utcCalendar } from '../core/limit-calendar.ts';
import { beginAll, SubjectTallies } from './subject-tallies.ts';

const at = { moment: wednesday, now: wednesday };
const windows = (amount: number) => ({
  total: usd(amount),
  daily: usd(amount),
  weekly: usd(amount),
  monthly: usd(amount),
});
const spent = (subject: string, amount: number) =>
  new Map([[subject, { usage: windows(amount), byokUsage: windows(0) }]]);

test('keys of one subject share its tally, which is forgotten when the last of them lets go', () => {
  const tallies = new SubjectTallies(utcCalendar);
  const one = tallies.exchange([], spent('workspace', 5), at);
  const other = tallies.exchange([], spent('workspace', 5), at);
  assert.equal(one[0]?.tally, other[0]?.tally);
  const charge = generation({ cost: usd(2), settledAt: wednesday });
  beginAll(one, charge)(charge);
  assert.equal(other[0]?.tally.at(wednesday).usage.total, 7n);

  assert.deepEqual(tallies.exchange(one, undefined, at), [], 'a key that has no budget any more');
  assert.equal(tallies.exchange(other, spent('workspace', 7), at)[0], other[0], 'still held by the other');
  assert.deepEqual(tallies.exchange(other, undefined, at), []);
  assert.notEqual(tallies.exchange([], spent('workspace', 7), at)[0], other[0], 'forgotten');
});

test('a key without budgets has none, and holds nothing', () => {
  const tallies = new SubjectTallies(utcCalendar);
  assert.equal(tallies.exchange([], undefined, at), tallies.exchange([], undefined, at));
});
