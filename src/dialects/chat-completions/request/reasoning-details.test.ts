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
