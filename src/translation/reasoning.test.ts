import assert from 'node:assert/strict';
import { test } from 'node:test';
import { altered, type TranslationCase, translated } from '../../test/support/translating.ts';
import type { ReasoningControl } from '../core/request.ts';

const ask = (reasoning: ReasoningControl, changes: TranslationCase = {}) => {
  const translation = translated({ ...changes, request: { ...changes.request, reasoning } });
  return [translation.request.reasoning, altered(translation)];
};

test('an effort moves to the nearest one the model has', () => {
  const model = { reasoning: { mandatory: false, supportedEfforts: ['low', 'high'] } } as const;
  assert.deepEqual(ask({ effort: 'xhigh', exclude: true }, { model }), [
    { effort: 'high', exclude: true },
    ['reasoning.effort adapted'],
  ]);
  assert.deepEqual(ask({ effort: 'low' }, { model }), [{ effort: 'low' }, []]);
  assert.deepEqual(ask({ effort: 'xhigh' }), [{ effort: 'xhigh' }, []], 'nobody stated what the model has');
});

test('a model that always reasons gets the lowest effort when asked to stop', () => {
  const thinker = { mandatory: true, supportedEfforts: ['none', 'low', 'high'] } as const;
  const moved = ['reasoning.effort adapted'];
  assert.deepEqual(ask({ effort: 'none' }, { model: { reasoning: thinker } }), [{ effort: 'low' }, moved]);
  const unstated = { reasoning: { mandatory: true } };
  assert.deepEqual(ask({ effort: 'none' }, { model: unstated }), [{ effort: 'minimal' }, moved]);
});

test('what is not taken is left out, and a budget becomes an effort', () => {
  const support = {
    'reasoning.max_tokens': { dropped: 'no budgets' },
    'reasoning.context': { dropped: 'none' },
  } as const;
  assert.deepEqual(
    ask({ maxTokens: 8000, context: 'auto' }, { support, request: { maxOutputTokens: 10_000 } }),
    [
      { effort: 'high' },
      ['reasoning.max_tokens dropped', 'reasoning.context dropped', 'reasoning.max_tokens adapted'],
    ],
  );
  assert.deepEqual(ask({ maxTokens: 8000, effort: 'low' }, { support }), [
    { effort: 'low' },
    ['reasoning.max_tokens dropped'],
  ]);
});

test('an endpoint without reasoning gets none', () => {
  const endpoint = { supportedParameters: new Set(['temperature']) };
  assert.deepEqual(ask({ effort: 'low', summary: 'auto' }, { endpoint }), [
    undefined,
    ['reasoning.effort dropped', 'reasoning.summary dropped'],
  ]);
});
