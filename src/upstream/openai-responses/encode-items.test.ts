import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import { assertGrowsEvenly } from '../../../test/support/assert-grows-evenly.ts';
import type { Item } from '../../core/request.ts';
import { openaiResponsesAdapter as adapter } from './openai-responses-adapter.ts';

const call = (callId: string): Item => ({ kind: 'call', form: 'function', callId, name: 'w', input: '{}' });
const output = (callId: string, text: string): Item => ({
  kind: 'call_output',
  form: 'function',
  callId,
  output: [{ kind: 'text', text }],
});
const sent = (items: readonly Item[]) =>
  sentBody(adapter, { request: { items } }).input as readonly { readonly call_id: string }[];

test('an id that another call has already, by chance or by being told apart, is told apart as well', () => {
  const items = [call('a_2'), call('a'), call('a'), output('a_2', '1'), output('a', '2'), output('a', '3')];
  const ids = sent(items).map(({ call_id }) => call_id);
  assert.equal(new Set(ids.slice(0, 3)).size, 3);
  assert.deepEqual(ids.slice(3), ids.slice(0, 3));
});

test('the time grows with the calls, however many have one id', () => {
  assertGrowsEvenly(80_000, (length) => {
    const half = Array.from({ length: length / 2 }, () => 'same');
    const input = sent([...half.map(call), ...half.map((id) => output(id, 'x'))]);
    assert.equal(new Set(input.map(({ call_id }) => call_id)).size, length / 2);
  });
});

test('two searches without ids have different ones, and the same in the next turn', () => {
  const search = (path: string): Item => ({
    kind: 'hosted',
    type: 'web_search_call',
    status: 'completed',
    fields: { action: { type: 'search', query: 'x' } },
    path,
  });
  const idsOf = (...items: Item[]) =>
    (sentBody(adapter, { request: { items } }).input as readonly { readonly id: string }[]).map(
      ({ id }) => id,
    );
  const [first, second] = [search('messages[1].content[0]'), search('messages[3].content[0]')];
  const ids = idsOf(first, second);
  assert.equal(new Set(ids).size, 2);
  assert.deepEqual(idsOf(first), ids.slice(0, 1));
});
