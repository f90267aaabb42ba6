import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reasoningBudget, reasoningEffort } from './reasoning-effort.ts';

test('a budget is a share of the output limit between 1024 and 128000', () => {
  const budgets = [
    [{ effort: 'max' }, 10_000, 9_500],
    [{ effort: 'xhigh' }, 10_000, 9_500],
    [{ effort: 'high' }, 10_000, 8_000],
    [{ effort: 'medium' }, 10_000, 5_000],
    [{ effort: 'low' }, 10_000, 2_000],
    [{ effort: 'minimal' }, 10_000, 1_024],
    [{ effort: 'max' }, 1_000_000, 128_000],
    [{ effort: 'none' }, 10_000, 0],
    [{ effort: 'low', maxTokens: 3_000 }, 10_000, 3_000],
    [{ maxTokens: 5 }, 10_000, 1_024],
    [{ summary: 'auto' }, 10_000, undefined],
  ] as const;
  for (const [control, limit, budget] of budgets) assert.equal(reasoningBudget(control, limit), budget);
});

test('a budget becomes the effort with the nearest share', () => {
  const efforts = [
    [100, 'minimal'],
    [190, 'low'],
    [450, 'medium'],
    [700, 'high'],
    [5_000, 'xhigh'],
  ] as const;
  for (const [maxTokens, effort] of efforts) assert.equal(reasoningEffort({ maxTokens }, 1_000), effort);
  assert.equal(reasoningEffort({ maxTokens: 1 }, undefined), 'medium');
  assert.equal(reasoningEffort({ maxTokens: 1, effort: 'high' }, 1_000), 'high');
  assert.equal(reasoningEffort({}, 1_000), undefined);
});

test('an unsupported effort moves to the nearest supported one', () => {
  const moves = [
    ['max', ['low', 'high'], 'high'],
    ['minimal', ['low', 'high'], 'low'],
    ['medium', ['low', 'high'], 'low'],
    ['low', ['none', 'high'], 'high'],
    ['none', ['low', 'high'], 'low'],
    ['none', ['none', 'high'], 'none'],
    ['high', [], 'high'],
  ] as const;
  for (const [wanted, supported, effort] of moves) {
    assert.equal(reasoningEffort({ effort: wanted }, undefined, supported), effort);
  }
});
