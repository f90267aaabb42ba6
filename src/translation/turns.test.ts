import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Item } from '../core/request.ts';
import { splitTurns } from './turns.ts';

const asked: Item = { kind: 'message', role: 'user', content: [{ kind: 'text', text: 'Do it.' }] };
const step = (callId: string): Item[] => [
  { kind: 'call', form: 'function', callId, name: 'f', input: '{}' },
  { kind: 'call_output', form: 'function', callId, output: [] },
];
const hostedStep = (call_id: string): Item[] =>
  ['shell_call', 'shell_call_output'].map(
    (type): Item => ({ kind: 'hosted', type, id: undefined, fields: { call_id } }) as Item,
  );
const places = (items: readonly Item[]) =>
  splitTurns(items).map((passage) => passage.map(({ place }) => place));

test('early steps of the newest turn may be dropped, with or without a user message', () => {
  assert.deepEqual(places([asked, ...step('a'), ...step('b'), ...step('c')]), [
    [1, 2],
    [3, 4],
  ]);
  assert.deepEqual(places([...step('a'), ...step('b'), ...step('c')]), [
    [0, 1],
    [2, 3],
  ]);
});

test('what a hosted tool put out ends a step too', () => {
  assert.deepEqual(places([asked, ...hostedStep('a'), ...hostedStep('b'), ...step('c')]), [
    [1, 2],
    [3, 4],
  ]);
});
