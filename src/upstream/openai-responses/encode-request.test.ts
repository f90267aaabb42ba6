import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallChanges, createCall, testApiKey } from '../../../test/fake-upstream/upstream-call.ts';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import type { CanonicalChat, Item } from '../../core/request.ts';
import { fitCacheKey } from '../call-facts.ts';
import { openaiResponsesAdapter as adapter } from './openai-responses-adapter.ts';

const logprobs = [{ token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [] }];
const hello = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello there' }] };
const plain = { model: 'atlas-4-instruct', stream: true, store: false, input: [hello] };

test('a plain call is streamed, not stored, and contains nothing that was not requested', () => {
  const wire = adapter.encode(createCall());
  assert.equal(wire.path, '/responses');
  assert.deepEqual(wire.headers, { authorization: `Bearer ${testApiKey}` });
  assert.deepEqual(sentBody(adapter, {}), plain);
});

test('an unstreamed call asks for one body, unless the provider only streams', () => {
  assert.deepEqual(sentBody(adapter, { streamed: false }), { ...plain, stream: false });
  const provider = { quirks: { alwaysStream: true } };
  assert.deepEqual(sentBody(adapter, { streamed: false, provider }), plain);
});

test('a provider without a key gets no authorization', () => {
  assert.deepEqual(adapter.encode(createCall({ provider: { apiKey: undefined } })).headers, {});
});

const weather = { kind: 'function', name: 'get_weather' } as const;
const patch = { kind: 'custom', name: 'patch' } as const;
const wireWeather = {
  type: 'function',
  name: 'get_weather',
  parameters: { type: 'object', properties: {} },
  strict: false,
};

const settings: readonly (readonly [string, Partial<CanonicalChat>, object])[] = [
  ['instructions', { instructions: 'Be brief.' }, { instructions: 'Be brief.' }],
  ['output limit', { maxOutputTokens: 7 }, { max_output_tokens: 7 }],
  [
    'samplers the dialect has, and no others',
    { sampling: { temperature: 1, topP: 0.5, topK: 4, seed: 1, stop: ['x'], frequencyPenalty: 1, minP: 0 } },
    { temperature: 1, top_p: 0.5 },
  ],
  [
    'log probabilities',
    { sampling: { topLogprobs: 2 } },
    { top_logprobs: 2, include: ['message.output_text.logprobs'] },
  ],
  ['no log probabilities', { sampling: { topLogprobs: 0 } }, { top_logprobs: 0 }],
  ['encrypted reasoning', { includeEncryptedReasoning: true }, { include: ['reasoning.encrypted_content'] }],
  ['JSON', { format: { kind: 'json_object' } }, { text: { format: { type: 'json_object' } } }],
  [
    'a schema',
    {
      format: { kind: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true },
      verbosity: 'low',
    },
    {
      text: {
        format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true },
        verbosity: 'low',
      },
    },
  ],
  ['verbosity beyond the scale', { verbosity: 'max' }, { text: { verbosity: 'high' } }],
  [
    'reasoning',
    { reasoning: { effort: 'low', summary: 'auto', context: 'all_turns', mode: 'pro' } },
    { reasoning: { effort: 'low', summary: 'auto', context: 'all_turns', mode: 'pro' } },
  ],
  [
    'a reasoning budget',
    { reasoning: { maxTokens: 500 }, maxOutputTokens: 1000 },
    { reasoning: { effort: 'medium' }, max_output_tokens: 1000 },
  ],
  ['excluded reasoning', { reasoning: { summary: 'auto', exclude: true } }, {}],
  ['a cache key', { promptCacheKey: 'k' }, { prompt_cache_key: 'k' }],
  ['a long cache key', { promptCacheKey: 'k'.repeat(65) }, { prompt_cache_key: fitCacheKey('k'.repeat(65)) }],
  ['an end user', { endUser: 'hash' }, { safety_identifier: 'hash' }],
  ['truncation', { truncation: 'auto' }, { truncation: 'auto' }],
  ['a tier without a price of its own', { serviceTier: 'scale' }, { service_tier: 'scale' }],
  ['a tier with a price of its own', { serviceTier: 'priority' }, {}],
  [
    'tools',
    {
      tools: [
        { kind: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: false },
        weather,
        {
          kind: 'custom',
          name: 'p',
          description: 'd',
          grammar: { syntax: 'lark', definition: 'start: "a"' },
        },
        patch,
      ],
      parallelToolCalls: false,
    },
    {
      tools: [
        { type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: false },
        wireWeather,
        {
          type: 'custom',
          name: 'p',
          description: 'd',
          format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
        },
        { type: 'custom', name: 'patch' },
      ],
      tool_choice: 'auto',
      parallel_tool_calls: false,
    },
  ],
];

for (const [name, request, sent] of settings) {
  test(`settings: ${name}`, () => assert.deepEqual(sentBody(adapter, { request }), { ...plain, ...sent }));
}

test('every tool choice has its form', () => {
  const choices = [
    [{ kind: 'none' }, 'none'],
    [{ kind: 'required' }, 'required'],
    [
      { kind: 'tool', form: 'function', name: 'get_weather' },
      { type: 'function', name: 'get_weather' },
    ],
    [
      { kind: 'tool', form: 'custom', name: 'patch' },
      { type: 'custom', name: 'patch' },
    ],
    [
      { kind: 'allowed', mode: 'required', names: ['patch'] },
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'custom', name: 'patch' }] },
    ],
  ] as const;
  for (const [toolChoice, sent] of choices) {
    const body = sentBody(adapter, { request: { tools: [weather, patch], toolChoice } });
    assert.deepEqual(body.tool_choice, sent);
  }
});

test('what the endpoint does not support is left out', () => {
  const request: Partial<CanonicalChat> = {
    tools: [weather],
    sampling: { temperature: 1, topP: 1, topLogprobs: 3 },
    format: { kind: 'json_schema', name: 'n', schema: {} },
    verbosity: 'low',
    reasoning: { effort: 'high' },
    parallelToolCalls: true,
  };
  const sent = (...names: string[]) =>
    sentBody(adapter, { request, endpoint: { supportedParameters: new Set(names) } });
  assert.deepEqual(sent(), plain);
  assert.deepEqual(sent('response_format', 'top_p', 'tools'), {
    ...plain,
    top_p: 1,
    text: { format: { type: 'json_object' } },
    tools: [wireWeather],
  });
});

test('a tier endpoint asks for its tier', () => {
  assert.equal(sentBody(adapter, { endpoint: { tier: 'flex' } }).service_tier, 'flex');
});

test('an effort the model lacks is moved to the nearest', () => {
  const changes: CallChanges = {
    request: { reasoning: { effort: 'minimal' } },
    model: { reasoning: { mandatory: true, supportedEfforts: ['low', 'high'] } },
  };
  assert.deepEqual(sentBody(adapter, changes).reasoning, { effort: 'low' });
});

const items: readonly (readonly [string, Item, object | undefined])[] = [
  [
    'a developer message',
    { kind: 'message', role: 'developer', content: [{ kind: 'text', text: 'x' }], id: 'msg_1' },
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'x' }] },
  ],
  ['an empty message', { kind: 'message', role: 'assistant', content: [] }, undefined],
  [
    'every input part',
    {
      kind: 'message',
      role: 'user',
      content: [
        { kind: 'image', url: 'https://a.test/x.png', detail: 'auto' },
        { kind: 'image', fileId: 'file_1', detail: 'low' },
        { kind: 'file', data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' },
        { kind: 'file', data: 'JVBERi0x' },
        { kind: 'file', url: 'https://a.test/x.pdf' },
        { kind: 'file', fileId: 'file_2' },
        { kind: 'audio', data: 'BBBB', format: 'mp3' },
      ],
    },
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_image', image_url: 'https://a.test/x.png', detail: 'auto' },
        { type: 'input_image', file_id: 'file_1', detail: 'low' },
        { type: 'input_file', file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' },
        { type: 'input_file', file_data: 'data:application/pdf;base64,JVBERi0x', filename: 'document.pdf' },
        { type: 'input_file', file_url: 'https://a.test/x.pdf' },
        { type: 'input_file', file_id: 'file_2' },
        { type: 'input_audio', input_audio: { data: 'BBBB', format: 'mp3' } },
      ],
    },
  ],
  [
    'what the model said',
    {
      kind: 'message',
      role: 'assistant',
      phase: 'commentary',
      content: [
        { kind: 'text', text: 'a', annotations: [{ type: 'file_path', file_id: 'f', index: 0 }], logprobs },
        { kind: 'refusal', text: 'no' },
      ],
    },
    {
      type: 'message',
      role: 'assistant',
      phase: 'commentary',
      content: [
        {
          type: 'output_text',
          text: 'a',
          annotations: [{ type: 'file_path', file_id: 'f', index: 0 }],
          logprobs,
        },
        { type: 'refusal', refusal: 'no' },
      ],
    },
  ],
  [
    'reasoning of its own, without its id',
    {
      kind: 'reasoning',
      id: 'rs_1',
      summary: ['s'],
      content: [],
      encrypted: 'E',
      format: 'openai-responses-v1',
    },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 's' }], encrypted_content: 'E' },
  ],
  [
    'reasoning of an unnamed format',
    { kind: 'reasoning', summary: [], content: [], encrypted: 'E' },
    { type: 'reasoning', summary: [], encrypted_content: 'E' },
  ],
  [
    'reasoning of another provider',
    {
      kind: 'reasoning',
      summary: [],
      content: ['t'],
      encrypted: 'E',
      signature: 'S',
      format: 'anthropic-claude-v1',
    },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 't' }] },
  ],
  [
    'a blob of another provider and nothing else',
    { kind: 'reasoning', summary: [], content: [], encrypted: 'E', format: 'google-gemini-v1' },
    undefined,
  ],
  [
    'a function call',
    { kind: 'call', form: 'function', id: 'fc_1', callId: 'c', name: 'f', input: '{"a":1}', namespace: 'n' },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}', namespace: 'n' },
  ],
  [
    'a custom call',
    { kind: 'call', form: 'custom', callId: 'c', name: 'p', input: 'free' },
    { type: 'custom_tool_call', call_id: 'c', name: 'p', input: 'free' },
  ],
  [
    'a text output',
    {
      kind: 'call_output',
      form: 'function',
      callId: 'c',
      output: [
        { kind: 'text', text: 'a' },
        { kind: 'text', text: 'b' },
      ],
    },
    { type: 'function_call_output', call_id: 'c', output: 'a\nb' },
  ],
  [
    'an output with a picture',
    {
      kind: 'call_output',
      form: 'custom',
      callId: 'c',
      output: [
        { kind: 'text', text: 'a' },
        { kind: 'image', url: 'data:image/png;base64,AAAA', detail: 'auto' },
      ],
    },
    {
      type: 'custom_tool_call_output',
      call_id: 'c',
      output: [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
      ],
    },
  ],
];

for (const [name, item, sent] of items) {
  test(`items: ${name}`, () => {
    const { input } = sentBody(adapter, { request: { items: [item] } });
    assert.ok(Array.isArray(input));
    assert.deepEqual(input.slice(0, 1), sent ? [sent] : []);
  });
}

test('a provider that takes raw reasoning gets it and its summary, each where it came from', () => {
  const provider = { quirks: { reasoningContent: true } };
  const sent = (summary: readonly string[], content: readonly string[]) =>
    sentBody(adapter, { provider, request: { items: [{ kind: 'reasoning', summary, content }] } }).input;
  const raw = [{ type: 'reasoning_text', text: 'c' }];
  const summed = [{ type: 'summary_text', text: 's' }];
  assert.deepEqual(sent(['s'], ['c']), [{ type: 'reasoning', summary: summed, content: raw }]);
  assert.deepEqual(sent(['s'], []), [{ type: 'reasoning', summary: summed }]);
  assert.deepEqual(sent([], ['c']), [{ type: 'reasoning', summary: [], content: raw }]);
  assert.deepEqual(sent([], []), []);
});

test('a provider with a reasoning format of its own reads that format and no other', () => {
  const provider = { quirks: { reasoningFormat: 'xai-responses-v1' } };
  const sent = (format: 'xai-responses-v1' | 'openai-responses-v1') =>
    sentBody(adapter, {
      provider,
      request: { items: [{ kind: 'reasoning', summary: [], content: [], encrypted: 'E', format }] },
    }).input;
  assert.deepEqual(sent('xai-responses-v1'), [{ type: 'reasoning', summary: [], encrypted_content: 'E' }]);
  assert.deepEqual(sent('openai-responses-v1'), []);
});

test('video and other parts without a form here are refused, so that the next model is tried', () => {
  const video = { kind: 'video', url: 'https://a.test/x.mp4' } as const;
  assert.throws(
    () => sentBody(adapter, { request: { items: [{ kind: 'message', role: 'user', content: [video] }] } }),
    { code: 'upstream_invalid_request' },
  );
});

test('unanswered calls get a placeholder after the calls of their turn', () => {
  const call = (callId: string) =>
    ({ kind: 'call', form: 'function', callId, name: 'f', input: '{}' }) as const;
  const wire = (call_id: string) => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' });
  const items: Item[] = [
    call('a'),
    call('b'),
    call('c'),
    { kind: 'call_output', form: 'function', callId: 'b', output: [{ kind: 'text', text: 'x' }] },
    call('d'),
  ];
  const output = (call_id: string, text: string) => ({ type: 'function_call_output', call_id, output: text });
  assert.deepEqual(sentBody(adapter, { request: { items } }).input, [
    wire('a'),
    wire('b'),
    wire('c'),
    output('a', 'The tool is still running.'),
    output('c', 'The tool is still running.'),
    output('b', 'x'),
    wire('d'),
    output('d', 'The tool is still running.'),
  ]);
});

test('ids of calls that are too long for the dialect are cut, and still belong together', () => {
  const long = 'x'.repeat(64);
  const ids = [long, `${long}y`, `${long}z`].flatMap((callId): unknown => {
    const items: Item[] = [
      { kind: 'call', form: 'custom', callId, name: 'f', input: '' },
      { kind: 'call_output', form: 'custom', callId, output: [] },
    ];
    return sentBody(adapter, { request: { items } }).input;
  });
  const sent = ids.map((item) => Object(item).call_id);
  assert.deepEqual(sent.slice(0, 2), [long, long]);
  assert.equal(sent[2], sent[3]);
  assert.equal(new Set(sent).size, 3);
  assert.ok(sent.every((id) => id.length === 64));
});
