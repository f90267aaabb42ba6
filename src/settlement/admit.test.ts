import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUsd, parseUsd, zeroUsd } from '../core/money.ts';
import { type ApiKey, plainKeySettings, type SpendWindows } from '../ports/keys.ts';
import { limitRemaining } from './admit.ts';

const key: ApiKey = {
  ...plainKeySettings,
  hash: 'a'.repeat(64),
  accountId: 'user_1',
  workspaceId: null,
  kind: 'inference',
  name: 'limited',
  label: 'sk...',
  disabled: false,
  limit: parseUsd('100'),
  limitReset: 'monthly',
  includeByokInLimit: false,
  expiresAt: null,
  creatorUserId: null,
  externalUser: null,
  createdAt: 0,
  updatedAt: null,
};

function thisMonth(amount: string): SpendWindows {
  return { total: parseUsd('1000'), daily: zeroUsd, weekly: zeroUsd, monthly: parseUsd(amount) };
}

const spend = { usage: thisMonth('25.5'), byokUsage: thisMonth('17.38') };
const left = (changes: Partial<ApiKey>) => limitRemaining({ ...key, ...changes }, spend);

test('the worked example of docs/spec/accounts.md#windows: own credentials count where the key says so', () => {
  assert.equal(formatUsd(left({}) ?? zeroUsd), '74.5');
  assert.equal(formatUsd(left({ includeByokInLimit: true }) ?? zeroUsd), '57.12');
});

test('another limit or interval is judged at once, never below zero', () => {
  assert.equal(left({ limit: parseUsd('20') }), zeroUsd);
  assert.equal(left({ limitReset: 'daily' }), parseUsd('100'));
  assert.equal(left({ limitReset: null }), zeroUsd, 'of all time');
  assert.equal(left({ limit: null }), null);
});
