import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCarrierSeals } from '../../../secrets/carrier-seals.ts';
import { writeCarrier } from '../../gateway/carrier.ts';
import { readReplayedReasoning } from './reasoning-details.ts';

const seal = createCarrierSeals(Buffer.alloc(32, 1))('account');
const read = (...details: readonly object[]) =>
  readReplayedReasoning({ reasoning_details: details }, 'messages[0]', new Set(), seal).items;

test('a maker that is known only from its blob is known of the whole thought', () => {
  const items = read(
    { type: 'reasoning.text', index: 0, id: 'rs_1', text: 'Hm.' },
    { type: 'reasoning.encrypted', index: 1, id: 'rs_1', data: 'YmxvYg==', format: 'openai-responses-v1' },
  );
  assert.equal(items.length, 1);
  assert.partialDeepStrictEqual(items[0], {
    content: ['Hm.'],
    encrypted: 'YmxvYg==',
    format: 'openai-responses-v1',
  });
});

test('a carrier of Messages becomes what it holds; a damaged one leaves the words', () => {
  const carrier = writeCarrier(
    { id: 'rs_1', format: 'openai-responses-v1', encrypted: 'YmxvYg==', kind: 'summary' },
    seal,
  );
  const detail = { type: 'reasoning.text', text: 'Hm.', signature: carrier };
  assert.deepEqual(read(detail), [
    {
      kind: 'reasoning',
      id: 'rs_1',
      content: [],
      summary: ['Hm.'],
      format: 'openai-responses-v1',
      encrypted: 'YmxvYg==',
    },
  ]);
  assert.deepEqual(read({ ...detail, signature: `${carrier}x` }), [
    { kind: 'reasoning', id: undefined, content: ['Hm.'], summary: [], format: 'unknown' },
  ]);
});

test('calls that the gateway ran stand where they were among the thoughts', () => {
  const call = {
    type: 'reasoning.server_tool_call',
    index: 1,
    tool_call_id: 'call_1',
    arguments: '{"query":"tides"}',
  };
  const items = read(
    { type: 'reasoning.text', index: 0, text: 'Hm.' },
    { ...call, tool_name: 'service:web_search', result: 'High at noon.' },
    { ...call, tool_name: 'mcp__every__do__it', tool_call_id: 'call_2', result: 'Done.' },
    { ...call, tool_name: 'no tool of ours' },
    { type: 'reasoning.text', index: 2, text: 'So.' },
  );
  assert.deepEqual(
    items.map((item) => ('fields' in item ? [item.kind, item.type, item.fields] : item.kind)),
    [
      'reasoning',
      [
        'service',
        'service:web_search',
        { call_id: 'call_1', arguments: '{"query":"tides"}', result: 'High at noon.' },
      ],
      [
        'hosted',
        'mcp_call',
        { server_label: 'every', name: 'do__it', arguments: '{"query":"tides"}', output: 'Done.' },
      ],
      'reasoning',
    ],
  );
});
