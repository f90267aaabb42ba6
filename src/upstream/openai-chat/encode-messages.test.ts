import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import type { CallItem, CallOutputItem, ContentPart, Item, MessageItem } from '../../core/request.ts';
import { openaiChatAdapter as adapter } from './openai-chat-adapter.ts';

function messages(items: readonly Item[], quirks: Record<string, unknown> = {}, instructions?: string) {
  return sentBody(adapter, { request: { items, instructions }, provider: { quirks } }).messages;
}

function say(role: MessageItem['role'], ...content: (string | ContentPart)[]): MessageItem {
  const parts = content.map((part) =>
    typeof part === 'string' ? ({ kind: 'text', text: part } as const) : part,
  );
  return { kind: 'message', role, content: parts };
}

function call(callId: string, input: string, form: CallItem['form'] = 'function'): CallItem {
  return { kind: 'call', form, callId, name: 'look', input };
}

function output(callId: string, ...content: (string | ContentPart)[]): CallOutputItem {
  return { kind: 'call_output', form: 'function', callId, output: say('user', ...content).content };
}

function wireCall(id: string, input: string) {
  return { id, type: 'function', function: { name: 'look', arguments: input } };
}

const thought: Item = {
  kind: 'reasoning',
  summary: ['short'],
  content: ['I look', 'twice'],
  encrypted: 'blob',
};
const picture: ContentPart = { kind: 'image', url: 'https://example.com/a.png', detail: 'auto' };
const wirePicture = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };

test('instructions lead, and all instructing roles become the provider’s one', () => {
  const items = [say('system', 'a', 'b'), say('developer', 'c'), say('user', 'd')];
  const as = (role: string) => [
    { role, content: 'Be brief.' },
    { role, content: 'a\nb' },
    { role, content: 'c' },
    { role: 'user', content: 'd' },
  ];
  assert.deepEqual(messages(items, {}, 'Be brief.'), as('system'));
  assert.deepEqual(messages(items, { instructionsRole: 'developer' }, 'Be brief.'), as('developer'));
});

test('text alone is a string, anything more is parts', () => {
  const [texts, mixed] = [say('user', 'a', 'b'), say('user', 'Look:', picture)];
  assert.deepEqual(messages([texts, mixed]), [
    { role: 'user', content: 'a\nb' },
    { role: 'user', content: [{ type: 'text', text: 'Look:' }, wirePicture] },
  ]);
});

const parts: readonly (readonly [ContentPart, object])[] = [
  [
    { ...picture, detail: 'low' },
    { type: 'image_url', image_url: { url: picture.url, detail: 'low' } },
  ],
  [
    { ...picture, detail: 'original' },
    { type: 'image_url', image_url: { url: picture.url, detail: 'high' } },
  ],
  [
    { kind: 'image', fileId: 'file-1', detail: 'auto' },
    { type: 'file', file: { file_id: 'file-1' } },
  ],
  [
    { kind: 'file', data: 'JVBERi0x', filename: 'a.pdf' },
    { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0x', filename: 'a.pdf' } },
  ],
  [
    { kind: 'file', data: 'data:text/plain;base64,YQ==' },
    { type: 'file', file: { file_data: 'data:text/plain;base64,YQ==', filename: 'document.txt' } },
  ],
  [
    { kind: 'file', url: 'https://example.com/a.pdf' },
    { type: 'file', file: { file_data: 'https://example.com/a.pdf', filename: 'document.pdf' } },
  ],
  [
    { kind: 'file', fileId: 'file-2' },
    { type: 'file', file: { file_id: 'file-2' } },
  ],
  [
    { kind: 'audio', data: 'UklG', format: 'wav' },
    { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } },
  ],
  [
    { kind: 'video', url: 'https://example.com/a.mp4' },
    { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } },
  ],
];

for (const [part, wire] of parts) {
  test(`part: ${JSON.stringify(part)}`, () => {
    assert.deepEqual(messages([say('user', part)]), [{ role: 'user', content: [wire] }]);
  });
}

test('what the model said runs on, its refusals included', () => {
  const item = say('assistant', 'I ', 'will ', { kind: 'refusal', text: 'not.' });
  assert.deepEqual(messages([item]), [{ role: 'assistant', content: 'I will not.' }]);
});

test('calls join the text before them, and their outputs follow', () => {
  const items = [
    say('user', 'Go'),
    say('assistant', 'Looking.'),
    call('c1', '{"x":1}'),
    call('c2', ''),
    output('c1', 'one', 'two'),
    output('c2'),
    call('c3', '{}'),
    output('c3', 'three'),
    say('assistant', 'Done.'),
  ];
  assert.deepEqual(messages(items), [
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: 'Looking.', tool_calls: [wireCall('c1', '{"x":1}'), wireCall('c2', '{}')] },
    { role: 'tool', tool_call_id: 'c1', content: 'one\ntwo' },
    { role: 'tool', tool_call_id: 'c2', content: '' },
    { role: 'assistant', content: null, tool_calls: [wireCall('c3', '{}')] },
    { role: 'tool', tool_call_id: 'c3', content: 'three' },
    { role: 'assistant', content: 'Done.' },
  ]);
});

test('pictures a tool answered with follow its whole round, as a user message', () => {
  const items = [
    call('c1', '{}'),
    call('c2', '{}'),
    output('c1', picture),
    output('c2', 'two'),
    say('user', 'And?'),
  ];
  assert.deepEqual(messages(items), [
    { role: 'assistant', content: null, tool_calls: [wireCall('c1', '{}'), wireCall('c2', '{}')] },
    { role: 'tool', tool_call_id: 'c1', content: 'See the following message.' },
    { role: 'tool', tool_call_id: 'c2', content: 'two' },
    { role: 'user', content: [{ type: 'text', text: 'Output of tool call c1:' }, wirePicture] },
    { role: 'user', content: 'And?' },
  ]);
  assert.equal((messages([call('c1', '{}'), output('c1', picture)]) as unknown[]).length, 3);
});

test('a custom call is wrapped, or native where the provider knows it', () => {
  const item = call('c1', 'print("ä")', 'custom');
  const wrapped = wireCall('c1', '{"input":"print(\\"ä\\")"}');
  assert.deepEqual(messages([item]), [{ role: 'assistant', content: null, tool_calls: [wrapped] }]);
  const native = { id: 'c1', type: 'custom', custom: { name: 'look', input: 'print("ä")' } };
  assert.deepEqual(messages([item], { customTools: true }), [
    { role: 'assistant', content: null, tool_calls: [native] },
  ]);
});

test('reasoning is dropped, or handed back with what it led to', () => {
  const items = [
    say('user', 'Go'),
    thought,
    call('c1', '{}'),
    output('c1', 'x'),
    thought,
    say('assistant', 'Done.'),
  ];
  const back = { reasoning_content: 'I look\ntwice' };
  const called = { role: 'assistant', content: null, tool_calls: [wireCall('c1', '{}')] };
  const rest = { role: 'tool', tool_call_id: 'c1', content: 'x' };
  const done = { role: 'assistant', content: 'Done.' };
  const user = { role: 'user', content: 'Go' };
  assert.deepEqual(messages(items), [user, called, rest, done]);
  assert.deepEqual(messages(items, { reasoningField: 'reasoning_content' }), [
    user,
    { ...called, ...back },
    rest,
    { ...done, ...back },
  ]);
});

test('reasoning that led to nothing is dropped, and a summary stands in for missing text', () => {
  const quirks = { reasoningField: 'reasoning' };
  const summarised: Item = { kind: 'reasoning', summary: ['short'], content: [] };
  assert.deepEqual(messages([thought, say('user', 'a'), summarised, say('assistant', 'b')], quirks), [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b', reasoning: 'short' },
  ]);
});
