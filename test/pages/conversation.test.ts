import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestOf, settingsOf } from '../../dashboard/pages/playground/draft.ts';
import { messagesOf } from '../../dashboard/pages/requests/conversation.ts';
import { asHandedOver, responseText } from '../../dashboard/state/hand-over.ts';

const kept = { tools: [], truncated: false, characters_left_out: 0 };
const text = (content: string) => ({ type: 'text', content });

test('a conversation goes to the playground as turns, its last question as the prompt', () => {
  const conversation = {
    ...kept,
    system: [text('Be terse.')],
    messages: [
      { role: 'user', parts: [text('Weather?'), { type: 'image', media_type: 'image/png', bytes: 12 }] },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'Look it up.' },
          { type: 'tool_call', id: 'call_1', name: 'weather', arguments: '{"city":"Bonn"}' },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: text('rain') }] },
      { role: 'assistant', parts: [text('It rains.')] },
      { role: 'user', parts: [text('And tomorrow?')] },
    ],
    tools: [{ type: 'function', name: 'weather' }],
    output: { role: 'assistant', parts: [text('Sun.')] },
  };
  const replay = {
    model: 'a/b',
    max_output_tokens: 90,
    tools: [{ type: 'function', name: 'example_1' }, { type: 'web_search' }],
  };
  const { before, prompt, settings } = asHandedOver(conversation, replay);
  const asked = requestOf({ prompt, before, preset: undefined, ...settingsOf(settings) }, 'a/b');
  assert.deepEqual(asked, {
    body: {
      model: 'a/b',
      instructions: 'Be terse.',
      max_output_tokens: 90,
      tools: [
        { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } },
        { type: 'web_search' },
      ],
      input: [
        { type: 'message', role: 'user', content: 'Weather?\n[image, image/png, 12 bytes]' },
        { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Bonn"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
        { type: 'message', role: 'assistant', content: 'It rains.' },
        {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: 'And tomorrow?' }],
        },
      ],
    },
  });
  assert.deepEqual(
    messagesOf(conversation).map(({ role }) => role),
    ['system', 'user', 'assistant', 'tool', 'assistant', 'user', 'assistant'],
  );
});

test('a turn that ends with the result of a tool has no prompt, and is sent as it was', () => {
  const messages = [
    { role: 'user', parts: [text('Weather?')] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: [text('a'), text('b')] }] },
  ];
  const { before, prompt, settings } = asHandedOver({ ...kept, system: [], messages, output: null }, null);
  assert.deepEqual([prompt, settings, before.length], ['', {}, 2]);
  const asked = requestOf({ prompt, before, preset: undefined, ...settingsOf(settings) }, 'a/b');
  assert.deepEqual(asked, { body: { model: 'a/b', input: before } });
  assert.equal(
    responseText([text('a'), { type: 'image' }]),
    '[{"type":"text","content":"a"},{"type":"image"}]',
  );
});
