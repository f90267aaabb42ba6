import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemSamples } from '../../../../../test/samples/request-kinds.ts';
import { parse } from '../../../../../test/support/request-parsing.ts';

function itemsOf(...input: unknown[]): unknown[] {
  return JSON.parse(JSON.stringify(parse({ input }).canonical.items));
}

test('a message between agents becomes canonical, sealed parts too', () => {
  const [whole] = itemSamples.agent_message ?? [];
  assert.deepEqual(itemsOf(whole), [
    {
      kind: 'agent_message',
      id: 'x_1',
      author: 'planner',
      recipient: 'writer',
      content: [
        { kind: 'text', text: 'Go.' },
        { kind: 'image', url: 'https://127.0.0.1/a.png', detail: 'low' },
        { kind: 'encrypted', encrypted: 'QQ==' },
      ],
      extra: { trace: 't' },
    },
  ]);
});

test('one that says nothing is left out', () => {
  const empty = { type: 'agent_message', author: 'a', recipient: 'b', content: [] };
  assert.equal(itemsOf(empty, { role: 'user', content: 'x' }).length, 1);
});

test('compaction items keep their content and any further members', () => {
  const [whole] = itemSamples.compaction ?? [];
  assert.deepEqual(itemsOf(whole, { type: 'context_compaction', encrypted_content: null, id: null }), [
    {
      kind: 'compaction',
      type: 'compaction',
      id: 'x_1',
      encrypted: 'QQ==',
      extra: { created_by: 'p', any: { deep: [1] } },
    },
    { kind: 'compaction', type: 'context_compaction' },
  ]);
});
