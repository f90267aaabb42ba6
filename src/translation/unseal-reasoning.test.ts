import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCall } from '../../test/fake-upstream/upstream-call.ts';
import { supportOf } from '../../test/support/scripted-upstream.ts';
import type { ReasoningItem } from '../core/request.ts';
import { featuresUsed } from './features-used.ts';
import { translate } from './translate.ts';

const own: ReasoningItem = {
  kind: 'reasoning',
  summary: [],
  content: ['a'],
  signature: 's',
  format: 'anthropic-claude-v1',
};
const foreign: ReasoningItem = {
  kind: 'reasoning',
  summary: [],
  content: ['b'],
  encrypted: 'x',
  format: 'xai-responses-v1',
};
const unreadable: ReasoningItem = { ...foreign, content: [] };
const unknown: ReasoningItem = { kind: 'reasoning', summary: [], content: [], encrypted: 'x' };

function replay(items: readonly ReasoningItem[]) {
  const { request, model, endpoint } = createCall({ request: { items } });
  const support = { ...supportOf(), seals: ['anthropic-claude-v1'] as const };
  return translate(request, featuresUsed(request), { model, endpoint, support });
}

test('seals of other providers are removed, and unreadable passages are left out', () => {
  const { request, alterations } = replay([own, foreign, unreadable, unknown]);
  assert.deepEqual(request.items, [own, { kind: 'reasoning', summary: [], content: ['b'] }, unknown]);
  assert.deepEqual(
    alterations.map(({ field, action }) => [field, action]),
    [['input[0]', 'dropped']],
  );
});

test('seals of the provider itself go back as they are', () => {
  const { request, alterations } = replay([own]);
  assert.deepEqual(request.items, [own]);
  assert.deepEqual(alterations, []);
});
