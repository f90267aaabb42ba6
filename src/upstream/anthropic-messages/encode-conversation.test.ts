import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import type { ContentPart, Item, MessageItem, ReasoningItem } from '../../core/request.ts';
import { anthropicMessagesAdapter as adapter } from './anthropic-messages-adapter.ts';

function sent(...items: Item[]) {
  const { system, messages } = sentBody(adapter, { request: { items } });
  return { system, messages };
}

function say(role: MessageItem['role'], ...content: (string | ContentPart)[]): MessageItem {
  const parts = content.map((part) =>
    typeof part === 'string' ? ({ kind: 'text', text: part } as const) : part,
  );
  return { kind: 'message', role, content: parts };
}

function call(callId: string, input: string, form: 'function' | 'custom' = 'function'): Item {
  return { kind: 'call', form, callId, name: 'tool', input };
}

function answer(callId: string, ...output: ContentPart[]): Item {
  return { kind: 'call_output', form: 'function', callId, output };
}

const text = (value: string) => ({ type: 'text', text: value });
const use = (id: string, input: unknown) => ({ type: 'tool_use', id, name: 'tool', input });
const result = (id: string, ...content: object[]) => ({ type: 'tool_result', tool_use_id: id, content });

test('system text at the front is the system prompt, later it joins the user’s turn', () => {
  assert.deepEqual(
    sent(say('system', 'a'), say('developer', 'b', ' '), say('user', 'c'), say('system', 'd')),
    {
      system: [text('a'), text('b')],
      messages: [{ role: 'user', content: [text('c'), text('d')] }],
    },
  );
});

test('where the model lets it, the system speaks between the user and the model', () => {
  const turns = (...items: Item[]) => {
    const { messages } = sentBody(adapter, {
      request: { items },
      endpoint: { upstreamModel: 'claude-opus-4-8' },
    }) as { messages: { role: string; content: { text: string }[] }[] };
    return messages.map(
      ({ role, content }) => `${role}: ${content.map((block) => block.text ?? '[]').join()}`,
    );
  };
  assert.deepEqual(turns(say('system', 'a'), say('user', 'b'), say('developer', 'c'), say('system', 'd')), [
    'user: b',
    'system: c,d',
  ]);
  assert.deepEqual(
    turns(say('user', 'a'), call('c1', '{}'), answer('c1'), say('system', 'b'), say('assistant', 'c')),
    ['user: a', 'assistant: []', 'user: []', 'system: b', 'assistant: c', 'user: (go on)'],
  );
  // Anywhere else the provider refuses it.
  assert.deepEqual(turns(say('user', 'a'), say('system', 'b'), say('user', 'c')), ['user: a,b,c']);
  assert.deepEqual(turns(say('user', 'a'), say('assistant', 'b'), say('system', 'c')), [
    'user: a',
    'assistant: b',
    'user: c',
  ]);
});

test('text of only white space is sent as empty where there is nothing else', () => {
  const empty = { role: 'user', content: [text('(empty)')] };
  assert.deepEqual(sent(say('user', ' \n')).messages, [empty]);
  assert.deepEqual(sent(say('system', 'a'), say('user', ' ')).messages, [empty]);
  assert.deepEqual(sent(say('user', 'a'), say('assistant', 'b'), say('user', ' ')).messages, [
    { role: 'user', content: [text('a')] },
    { role: 'assistant', content: [text('b')] },
    empty,
  ]);
  assert.deepEqual(sent(say('user', 'a'), say('user', ' ')).messages, [
    { role: 'user', content: [text('a')] },
  ]);
});

test('a conversation of nothing but system text becomes the user’s', () => {
  assert.deepEqual(sent(say('system', 'a')), {
    system: undefined,
    messages: [{ role: 'user', content: [text('a')] }],
  });
});

test('turns alternate, and blank texts vanish', () => {
  assert.deepEqual(
    sent(say('user', 'a'), say('assistant', ' ', ''), say('user', 'b'), say('assistant', 'c', 'd')).messages,
    [
      { role: 'user', content: [text('a'), text('b')] },
      { role: 'assistant', content: [text('c'), text('d')] },
    ],
  );
});

test('a beginning for the model to go on from does not end in white space', () => {
  const { messages } = sent(say('assistant', 'x '), say('user', 'a '), say('assistant', 'b ', 'c \n'));
  assert.deepEqual(messages, [
    { role: 'assistant', content: [text('x ')] },
    { role: 'user', content: [text('a ')] },
    { role: 'assistant', content: [text('b '), text('c')] },
  ]);
});

test('a model without prefill gets a user turn to continue', () => {
  const ending = (...items: Item[]) =>
    (
      sentBody(adapter, { request: { items }, endpoint: { upstreamModel: 'claude-opus-4-6' } }).messages as {
        role: string;
        content: object[];
      }[]
    ).slice(1);
  assert.deepEqual(ending(say('user', 'a'), say('assistant', 'b')), [
    { role: 'assistant', content: [text('b')] },
    { role: 'user', content: [text('(go on)')] },
  ]);
  // What a tool of the provider's was in the middle of goes on as it is.
  const running = [{ type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'tide' } }];
  const fields = { format: 'anthropic-claude-v1', signature: JSON.stringify(running) };
  const search: Item = { kind: 'hosted', type: 'web_search_call', id: 'ws_1', fields, extra: {} };
  assert.deepEqual(ending(say('user', 'a'), search), [{ role: 'assistant', content: running }]);
});

test('a refusal is sent as its text', () => {
  assert.deepEqual(
    sent(say('user', 'a'), say('assistant', { kind: 'refusal', text: 'no' }), say('user', 'b')).messages,
    [
      { role: 'user', content: [text('a')] },
      { role: 'assistant', content: [text('no')] },
      { role: 'user', content: [text('b')] },
    ],
  );
});

test('calls and their results', () => {
  const picture = { kind: 'image', url: 'https://a.test/x.png', detail: 'auto' } as const;
  assert.deepEqual(
    sent(
      say('user', 'a'),
      say('assistant', 'looking'),
      call('c1', '{"x":1}'),
      call('c2', ''),
      say('user', 'meanwhile'),
      answer('c1', { kind: 'text', text: 'one' }, { kind: 'text', text: '' }, picture),
      answer('c2'),
    ).messages,
    [
      { role: 'user', content: [text('a')] },
      { role: 'assistant', content: [text('looking'), use('c1', { x: 1 }), use('c2', {})] },
      {
        role: 'user',
        content: [
          result('c1', text('one'), { type: 'image', source: { type: 'url', url: 'https://a.test/x.png' } }),
          result('c2'),
          text('meanwhile'),
        ],
      },
    ],
  );
});

test('the input of a call is always an object', () => {
  const inputs = [
    ['{"a":[1]}', { a: [1] }],
    ['  ', {}],
    ['[1]', { input: [1] }],
    ['0', { input: 0 }],
    ['null', { input: 'null' }],
    ['{"a":', { input: '{"a":' }],
  ] as const;
  for (const [input, sentInput] of inputs) {
    assert.deepEqual(sent(call('c', input), answer('c')).messages, [
      { role: 'assistant', content: [use('c', sentInput)] },
      { role: 'user', content: [result('c')] },
    ]);
  }
});

test('ids of other providers fit, and still belong together', () => {
  assert.deepEqual(sent(call('functions.f:0', ''), answer('functions.f:0')).messages, [
    { role: 'assistant', content: [use('functions_f_0', {})] },
    { role: 'user', content: [result('functions_f_0')] },
  ]);
});

const thought: ReasoningItem = { kind: 'reasoning', summary: [], content: ['hm'], signature: 'S' };
const own = { ...thought, format: 'anthropic-claude-v1' } as const;
const redacted: ReasoningItem = {
  kind: 'reasoning',
  summary: [],
  content: [],
  encrypted: 'R',
  format: 'anthropic-claude-v1',
};
const thinking = { type: 'thinking', thinking: 'hm', signature: 'S' };

test('signed and redacted thoughts go back in order before what they led to', () => {
  assert.deepEqual(
    sent(say('user', 'a'), own, redacted, thought, say('assistant', 'b'), own, call('c', ''), answer('c'))
      .messages,
    [
      { role: 'user', content: [text('a')] },
      {
        role: 'assistant',
        content: [
          thinking,
          { type: 'redacted_thinking', data: 'R' },
          thinking,
          text('b'),
          thinking,
          use('c', {}),
        ],
      },
      { role: 'user', content: [result('c')] },
    ],
  );
});

test('unverifiable thoughts, and thoughts that led to nothing, are left out', () => {
  const foreign: ReasoningItem[] = [
    { ...thought, format: 'google-gemini-v1' },
    { ...thought, signature: undefined },
    { ...redacted, format: 'openai-responses-v1' },
    { ...redacted, format: undefined },
  ];
  for (const item of foreign) {
    assert.deepEqual(sent(say('user', 'a'), item, say('assistant', 'b')).messages, [
      { role: 'user', content: [text('a')] },
      { role: 'assistant', content: [text('b')] },
    ]);
  }
  const lonely = [{ role: 'user', content: [text('a'), text('b')] }];
  assert.deepEqual(sent(say('user', 'a'), own, say('user', 'b'), own).messages, lonely);
});

test('hidden thoughts are their signature alone', () => {
  const { messages } = sent({ ...own, content: [] }, say('assistant', 'b'));
  assert.deepEqual(messages, [
    { role: 'assistant', content: [{ type: 'thinking', thinking: '', signature: 'S' }, text('b')] },
  ]);
});

test('pictures and documents', () => {
  const cached = { cacheControl: { ttl: '1h' } } as const;
  const cache_control = { type: 'ephemeral', ttl: '1h' };
  const parts: readonly (readonly [ContentPart, object])[] = [
    [
      { kind: 'image', url: 'https://a.test/x.png', detail: 'high', ...cached },
      { type: 'image', source: { type: 'url', url: 'https://a.test/x.png' }, cache_control },
    ],
    [
      { kind: 'image', url: 'data:image/webp;base64,AAAA', detail: 'auto' },
      { type: 'image', source: { type: 'base64', media_type: 'image/webp', data: 'AAAA' } },
    ],
    [
      { kind: 'image', fileId: 'file_1', detail: 'auto' },
      { type: 'image', source: { type: 'file', file_id: 'file_1' } },
    ],
    [
      { kind: 'file', data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf', ...cached },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
        title: 'a.pdf',
        cache_control,
      },
    ],
    [
      { kind: 'file', data: 'JVBERi0x' },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0x' } },
    ],
    [
      { kind: 'file', data: Buffer.from('grüß').toString('base64'), filename: 'a.md' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'grüß' }, title: 'a.md' },
    ],
    [
      { kind: 'file', url: 'https://a.test/x.pdf' },
      { type: 'document', source: { type: 'url', url: 'https://a.test/x.pdf' } },
    ],
    [
      { kind: 'file', fileId: 'file_2' },
      { type: 'document', source: { type: 'file', file_id: 'file_2' } },
    ],
    [
      { kind: 'text', text: 'a', ...cached },
      { type: 'text', text: 'a', cache_control },
    ],
  ];
  for (const [part, block] of parts) {
    assert.deepEqual(sent(say('user', part)).messages, [{ role: 'user', content: [block] }]);
  }
});

test('what the dialect has no block for is refused, so that the next model is tried', () => {
  const parts: readonly ContentPart[] = [
    { kind: 'audio', data: 'AAAA', format: 'wav' },
    { kind: 'video', url: 'https://a.test/x.mp4' },
    { kind: 'image', url: 'data:image/tiff;base64,AAAA', detail: 'auto' },
    { kind: 'file', data: 'AAAA' },
  ];
  for (const part of parts)
    assert.throws(() => sent(say('user', part)), { code: 'upstream_invalid_request' });
});

test('thoughts that led to nothing the dialect can express are left out', () => {
  const request: Item = { kind: 'service', type: 'service:memory', fields: { key: 'f' } };
  const { messages } = sent(say('user', 'a'), own, say('assistant', ' '), own, request, say('user', 'b'));
  assert.deepEqual(messages, [{ role: 'user', content: [text('a'), text('b')] }]);
});

test("another provider's hosted call among parallel calls is sent in their turn", () => {
  const search: Item = { kind: 'hosted', type: 'file_search_call', fields: { queries: ['q'], results: [] } };
  const search_use = {
    type: 'tool_use',
    id: 'file_search_call',
    name: 'file_search',
    input: { queries: ['q'] },
  };
  assert.deepEqual(
    sent(say('user', 'a'), call('c', ''), search, search, call('d', ''), answer('c'), answer('d')).messages,
    [
      { role: 'user', content: [text('a')] },
      {
        role: 'assistant',
        content: [use('c', {}), search_use, { ...search_use, id: 'file_search_call_2' }, use('d', {})],
      },
      {
        role: 'user',
        content: [
          result('file_search_call', text('{"results":[]}')),
          result('file_search_call_2', text('{"results":[]}')),
          result('c'),
          result('d'),
        ],
      },
    ],
  );
});
