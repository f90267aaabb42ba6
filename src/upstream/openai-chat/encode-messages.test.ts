import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import type { CallItem, CallOutputItem, ContentPart, Item, MessageItem } from '../../core/request.ts';
import { openaiChatAdapter as adapter } from './openai-chat-adapter.ts';

function messages(items: readonly Item[], quirks: Record<string, unknown> = {}, instructions?: string) {
  return sentBody(adapter, { request: { items, instructions }, provider: { quirks } }).messages;
}

/** The same, each message with its role at hand. */
function roled(...given: Parameters<typeof messages>): readonly { readonly role: string }[] {
  return messages(...given) as readonly { readonly role: string }[];
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

test('a call of a tool with free-text input', () => {
  const native = { id: 'c1', type: 'custom', custom: { name: 'look', input: 'print("ä")' } };
  const answered = { ...output('c1', 'ä'), form: 'custom' } as const;
  assert.deepEqual(messages([call('c1', 'print("ä")', 'custom'), answered]), [
    { role: 'assistant', content: null, tool_calls: [native] },
    { role: 'tool', tool_call_id: 'c1', content: 'ä' },
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
  assert.deepEqual(messages(items, { reasoningReplay: 'reasoning_content' }), [
    user,
    { ...called, ...back },
    rest,
    { ...done, ...back },
  ]);
});

test('reasoning that led to nothing is dropped, and a summary stands in for missing text', () => {
  const quirks = { reasoningReplay: 'reasoning' };
  const summarised: Item = { kind: 'reasoning', summary: ['short'], content: [] };
  assert.deepEqual(messages([thought, say('user', 'a'), summarised, say('assistant', 'b')], quirks), [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b', reasoning: 'short' },
  ]);
});

test('what stands between calls and their outputs joins the turn, so that outputs follow at once', () => {
  const items = [
    thought,
    call('c1', '{}'),
    { ...thought, content: ['again'] },
    say('assistant', 'Wait.'),
    call('c2', '{}'),
    output('c1', 'one'),
    output('c2', 'two'),
  ];
  const turn = {
    role: 'assistant',
    content: 'Wait.',
    reasoning: 'I look\ntwice\nagain',
    tool_calls: [wireCall('c1', '{}'), wireCall('c2', '{}')],
  };
  assert.deepEqual(messages(items, { reasoningReplay: 'reasoning' }), [
    turn,
    { role: 'tool', tool_call_id: 'c1', content: 'one' },
    { role: 'tool', tool_call_id: 'c2', content: 'two' },
  ]);
});

test('a call without output gets a placeholder, and its late output becomes text', () => {
  const items = [
    call('c1', '{}'),
    say('user', 'And?'),
    say('assistant', 'Soon.'),
    output('c1', 'one', picture),
    call('c2', '{}'),
  ];
  const running = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'The tool is still running.' });
  assert.deepEqual(messages(items), [
    { role: 'assistant', content: null, tool_calls: [wireCall('c1', '{}')] },
    running('c1'),
    { role: 'user', content: 'And?' },
    { role: 'assistant', content: 'Soon.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Output of tool call c1:' },
        { type: 'text', text: 'one' },
        wirePicture,
      ],
    },
    { role: 'assistant', content: null, tool_calls: [wireCall('c2', '{}')] },
    running('c2'),
  ]);
});

test('outputs come straight after all calls of their turn, whatever stood between', () => {
  const calls = (...ids: string[]) => ({
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => wireCall(id, '{}')),
  });
  const answer = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
  assert.deepEqual(messages([call('c1', '{}'), say('user', 'And?'), output('c1', 'one')]), [
    calls('c1'),
    answer('c1', 'one'),
    { role: 'user', content: 'And?' },
  ]);
  const apart = [call('c1', '{}'), call('c2', '{}'), output('c1', 'one'), call('c3', '{}')];
  assert.deepEqual(messages([...apart, output('c2', 'two'), output('c3', 'three')]), [
    calls('c1', 'c2', 'c3'),
    answer('c1', 'one'),
    answer('c2', 'two'),
    answer('c3', 'three'),
  ]);
  const twins = [call('c1', '{}'), call('c1', '{}'), output('c1', 'one'), output('c1', 'two')];
  assert.deepEqual(messages(twins), [calls('c1', 'c1_2'), answer('c1', 'one'), answer('c1_2', 'two')]);
});

test('reasoning goes back in pieces; blobs only in a format the provider reads', () => {
  const sealed: Item = { ...thought, format: 'google-gemini-v1', signature: 'sig' };
  const items = [sealed, say('assistant', 'Done.')];
  const details = (readable: boolean) => [
    { type: 'reasoning.summary', summary: 'short', format: 'google-gemini-v1', index: 0 },
    { type: 'reasoning.text', text: 'I look', format: 'google-gemini-v1', index: 1 },
    {
      type: 'reasoning.text',
      text: 'twice',
      ...(readable ? { signature: 'sig' } : {}),
      format: 'google-gemini-v1',
      index: 2,
    },
    ...(readable
      ? [{ type: 'reasoning.encrypted', data: 'blob', format: 'google-gemini-v1', index: 3 }]
      : []),
  ];
  const quirks = { reasoningReplay: 'reasoning_details' };
  const sent = (readable: boolean) => [
    { role: 'assistant', content: 'Done.', reasoning_details: details(readable) },
  ];
  assert.deepEqual(messages(items, quirks), sent(false));
  assert.deepEqual(messages(items, { ...quirks, sealedFormats: ['google-gemini-v1'] }), sent(true));
});

test('reasoning goes back inside the content, as a part or between tags', () => {
  const items = [thought, say('assistant', 'Done.')];
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'I look\ntwice' }] };
  assert.deepEqual(messages(items, { reasoningReplay: 'thinking_parts' }), [
    { role: 'assistant', content: [thinking, { type: 'text', text: 'Done.' }] },
  ]);
  assert.deepEqual(messages(items, { reasoningReplay: 'think_tags' }), [
    { role: 'assistant', content: '<think>\nI look\ntwice\n</think>\n\nDone.' },
  ]);
});

test('system messages stand only where they are taken; later ones are text of the user in their place', () => {
  const items = [say('developer', 'First.'), say('user', 'a'), say('developer', 'b'), say('user', 'c')];
  const others = [
    { role: 'user', content: 'a' },
    { role: 'user', content: '<system>\nb\n</system>' },
    { role: 'user', content: 'c' },
  ];
  const brief = { role: 'system', content: 'Be brief.' };
  const first = { role: 'system', content: 'First.' };
  assert.deepEqual(messages(items, { system_messages: 'leading' }, 'Be brief.'), [brief, first, ...others]);
  assert.deepEqual(messages(items, { system_messages: 'first' }, 'Be brief.'), [
    { role: 'system', content: 'Be brief.\n\nFirst.' },
    ...others,
  ]);
  assert.equal(roled(items, {}, 'Be brief.').filter(({ role }) => role === 'system').length, 3);
});

test('a later system message keeps its marks of cacheable prefixes', () => {
  const part: ContentPart = { kind: 'text', text: 'b', cacheControl: { ttl: '5m' } };
  const items: Item[] = [say('user', 'a'), { kind: 'message', role: 'system', content: [part] }];
  const [, later] = roled(items, { system_messages: 'first', cacheControl: true });
  assert.deepEqual(later, {
    role: 'user',
    content: [
      { type: 'text', text: '<system>' },
      { type: 'text', text: 'b', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: '</system>' },
    ],
  });
});

test('where the user may not speak after outputs of tools, the model says a word between', () => {
  const items = [say('user', 'a'), call('c', '{}'), output('c', 'x'), say('system', 'b')];
  const sent = roled(items, { speaksAfterTools: true, system_messages: 'first' });
  assert.deepEqual(
    sent.map(({ role }) => role),
    ['user', 'assistant', 'tool', 'assistant', 'user'],
  );
});

test('a beginning of the answer is marked where that is needed, calls are not', () => {
  const begun = roled([say('user', 'a'), say('assistant', 'b')], { marksPrefix: true });
  assert.deepEqual(begun.at(-1), { role: 'assistant', content: 'b', prefix: true });
  assert.ok(
    !('prefix' in (roled([say('assistant', 'b'), say('user', 'a')], { marksPrefix: true })[0] ?? {})),
  );
});

test('arguments of replayed calls that are no object are wrapped, others stay as they were written', () => {
  const argumentsOf = (input: string) => {
    const [turn] = messages([call('c', input), output('c', 'x')]) as [
      { tool_calls: [{ function: { arguments: string } }] },
    ];
    return turn.tool_calls[0].function.arguments;
  };
  assert.equal(argumentsOf('{"a": 1.0}'), '{"a": 1.0}');
  assert.equal(argumentsOf(''), '{}');
  for (const broken of ['{"a":"b"', '[1]', '"text"', 'null']) {
    assert.equal(typeof JSON.parse(argumentsOf(broken)), 'object');
    assert.deepEqual(Object.keys(JSON.parse(argumentsOf(broken))), ['input'], broken);
  }
});

test('call ids become nine letters and digits, the same for the same id', () => {
  const sent = messages([call('call_long', '{}'), output('call_long', 'x')], { shortCallIds: true });
  const [turn, answer] = sent as [{ tool_calls: [{ id: string }] }, { tool_call_id: string }];
  assert.match(turn.tool_calls[0].id, /^[a-z0-9]{9}$/);
  assert.equal(answer.tool_call_id, turn.tool_calls[0].id);
  const [kept] = messages([call('abcDEF123', '{}')], { shortCallIds: true }) as [typeof turn];
  assert.equal(kept.tool_calls[0].id, 'abcDEF123');
});

test('marks of cacheable prefixes, the request’s own on the last part, four at most', () => {
  const marked = (text: string): ContentPart => ({ kind: 'text', text, cacheControl: { ttl: '1h' } });
  const cache_control = { type: 'ephemeral' };
  const quirks = { cacheControl: true };
  const items = [say('system', marked('a')), say('user', 'b', picture), say('assistant', 'c')];
  const request = { items, cacheControl: { ttl: '5m' } } as const;
  assert.deepEqual(sentBody(adapter, { request, provider: { quirks } }).messages, [
    { role: 'system', content: [{ type: 'text', text: 'a', cache_control }] },
    { role: 'user', content: [{ type: 'text', text: 'b' }, wirePicture] },
    { role: 'assistant', content: [{ type: 'text', text: 'c', cache_control }] },
  ]);
  assert.deepEqual(sentBody(adapter, { request }).messages, messages(items));
  const many = JSON.stringify(messages([say('user', ...'abcdef'.split('').map(marked))], quirks));
  assert.deepEqual(
    many.match(/"text":"\w"|cache_control/g)?.join(),
    [
      '"text":"a","text":"b"',
      ...['c', 'd', 'e', 'f'].map((letter) => `"text":"${letter}",cache_control`),
    ].join(),
  );
});

test('ids of calls are no longer than the dialect takes', () => {
  const [id, alike] = [`${'x'.repeat(40)}1`, `${'x'.repeat(40)}2`];
  const sent = messages([call(id, '{}'), call(alike, '{}'), output(id, 'one'), output(alike, 'two')]);
  const told = JSON.parse(JSON.stringify(sent));
  const ids = told[0].tool_calls.map((made: { id: string }) => made.id);
  assert.deepEqual([told[1].tool_call_id, told[2].tool_call_id], ids);
  assert.notEqual(ids[0], ids[1]);
  assert.deepEqual([ids[0].length, ids[1].length], [40, 40]);
});

test('an empty message of the model is left out', () => {
  const items = [
    say('user', 'a'),
    say('assistant', ''),
    call('c', '{}'),
    say('assistant', '', ''),
    output('c', 'x'),
  ];
  assert.deepEqual(messages(items), [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: null, tool_calls: [wireCall('c', '{}')] },
    { role: 'tool', tool_call_id: 'c', content: 'x' },
  ]);
});

test('where sides must take turns, neighbours are joined and the user begins', () => {
  const items = [
    say('system', 's'),
    say('assistant', 'a'),
    say('assistant', 'b'),
    say('user', 'c'),
    say('system', 't'),
    say('user', 'd', picture),
  ];
  assert.deepEqual(messages(items, { alternatingTurns: true, system_messages: 'first' }), [
    { role: 'system', content: 's' },
    { role: 'user', content: '(the assistant begins)' },
    { role: 'assistant', content: 'a\n\nb' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'c\n\n<system>\nt\n</system>' },
        { type: 'text', text: 'd' },
        wirePicture,
      ],
    },
  ]);
  const called = [
    say('user', 'a'),
    say('assistant', 'b'),
    call('c', '{}'),
    output('c', 'x'),
    say('assistant', 'd'),
  ];
  assert.deepEqual(messages(called, { alternatingTurns: true }), messages(called));
});
