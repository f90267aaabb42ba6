import assert from 'node:assert/strict';
import { test } from 'node:test';
import { altered, translated } from '../../test/support/translating.ts';
import type { ContentPart, Item } from '../core/request.ts';

const text = (words: string): ContentPart => ({ kind: 'text', text: words });
const picture: ContentPart = { kind: 'image', url: 'data:image/png;base64,AA==', detail: 'auto' };
const support = { 'input.message.media': { emulated: 'moved' } } as const;

test('pictures of the model and the system are shown by the user, in their place', () => {
  const items: Item[] = [
    { kind: 'message', role: 'system', content: [text('a'), picture] },
    { kind: 'message', role: 'user', content: [picture, text('b')] },
    {
      kind: 'message',
      role: 'assistant',
      content: [text('c'), picture, picture, text('d')],
      phase: 'commentary',
    },
    { kind: 'message', role: 'assistant', content: [] },
  ];
  const translation = translated({ request: { items }, support });
  assert.deepEqual(translation.request.items, [
    { kind: 'message', role: 'system', content: [text('a')] },
    { kind: 'message', role: 'user', content: [picture] },
    { kind: 'message', role: 'user', content: [picture, text('b')] },
    { kind: 'message', role: 'assistant', content: [text('c')], phase: 'commentary' },
    { kind: 'message', role: 'user', content: [picture, picture] },
    { kind: 'message', role: 'assistant', content: [text('d')], phase: 'commentary' },
    { kind: 'message', role: 'assistant', content: [] },
  ]);
  assert.deepEqual(altered(translation), ['input[0].content[1] emulated']);
});

test('pictures of the user stay where they are', () => {
  const items: Item[] = [{ kind: 'message', role: 'user', content: [text('a'), picture] }];
  const translation = translated({ request: { items }, support });
  assert.deepEqual(translation.request.items, items);
  assert.deepEqual(altered(translation), []);
});
