import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byokFee } from './byok-fee.ts';
import { formatUsd, parseUsd } from './money.ts';

const terms = { feeBasisPoints: 500, monthlyAllowance: parseUsd(25_000) };
const fee = (list: number | string, before: number | string) =>
  formatUsd(byokFee(parseUsd(list), parseUsd(before), terms));

test('the worked examples of docs/spec/credentials.md#fee', () => {
  assert.equal(fee(19, 25_000), '0.95', 'the allowance is used up');
  assert.equal(fee(20, 24_990), '0.5', 'ten above the allowance');
});

test('within the allowance nothing is due, to the last nano-dollar', () => {
  assert.equal(fee(19, 0), '0');
  assert.equal(fee(10, 24_990), '0');
  assert.equal(fee('0.00000001', 25_000), '0.000000001', 'half a nano-dollar rounds up');
  assert.equal(fee('0.000000009', 25_000), '0');
});
