import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallChanges, createCall, testApiKey } from '../../../test/fake-upstream/upstream-call.ts';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import type { CanonicalChat } from '../../core/request.ts';
import { fitCacheKey } from '../call-facts.ts';
import { openaiChatAdapter as adapter } from './openai-chat-adapter.ts';

const plain = {
  model: 'atlas-4-instruct',
  messages: [{ role: 'user', content: 'Hello there' }],
  stream: true,
  stream_options: { include_usage: true },
};

test('a plain call is streamed and contains nothing that was not requested', () => {
  const wire = adapter.encode(createCall());
  assert.equal(wire.path, '/chat/completions');
  assert.deepEqual(wire.headers, { authorization: `Bearer ${testApiKey}` });
  assert.deepEqual(sentBody(adapter, {}), plain);
});

test('a provider without a key gets no authorization', () => {
  assert.deepEqual(adapter.encode(createCall({ provider: { apiKey: undefined } })).headers, {});
});

const weather = {
  kind: 'function',
  name: 'get_weather',
  parameters: { type: 'object' },
  strict: true,
} as const;
const clock = { kind: 'function', name: 'clock', description: 'Tells the time.' } as const;
const wireWeather = {
  type: 'function',
  function: { name: 'get_weather', parameters: { type: 'object' }, strict: true },
};
const wireClock = {
  type: 'function',
  function: { name: 'clock', description: 'Tells the time.', parameters: { type: 'object', properties: {} } },
};
const wireTools = { tools: [wireWeather, wireClock] };
const schema = { type: 'object', properties: { a: { type: 'string' } } };
const tools = [weather, clock];

const settings: readonly (readonly [string, Partial<CanonicalChat>, object])[] = [
  ['output limit', { maxOutputTokens: 7 }, { max_tokens: 7 }],
  [
    'samplers, zeros included',
    {
      sampling: {
        temperature: 0,
        topP: 1,
        topK: 0,
        minP: 0.1,
        topA: 0.2,
        frequencyPenalty: 0,
        presencePenalty: -1,
        repetitionPenalty: 1.1,
        seed: 0,
        stop: ['x', 'y'],
        logitBias: { 50256: -100 },
      },
    },
    {
      temperature: 0,
      top_p: 1,
      top_k: 0,
      min_p: 0.1,
      top_a: 0.2,
      frequency_penalty: 0,
      presence_penalty: -1,
      repetition_penalty: 1.1,
      seed: 0,
      stop: ['x', 'y'],
      logit_bias: { 50256: -100 },
    },
  ],
  ['log probabilities', { sampling: { topLogprobs: 2 } }, { logprobs: true, top_logprobs: 2 }],
  ['no log probabilities', { sampling: { topLogprobs: 0 } }, {}],
  ['JSON', { format: { kind: 'json_object' } }, { response_format: { type: 'json_object' } }],
  [
    'JSON by schema',
    { format: { kind: 'json_schema', name: 'answer', schema, strict: true } },
    { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } } },
  ],
  ['verbosity', { verbosity: 'low' }, { verbosity: 'low' }],
  ['effort', { reasoning: { effort: 'high' } }, { reasoning_effort: 'high' }],
  [
    'budget',
    { reasoning: { maxTokens: 500 }, maxOutputTokens: 1000 },
    { max_tokens: 1000, reasoning_effort: 'medium' },
  ],
  ['reasoning without a degree', { reasoning: { summary: 'auto' } }, {}],
  ['a long cache key', { promptCacheKey: 'k'.repeat(65) }, { prompt_cache_key: fitCacheKey('k'.repeat(65)) }],
  ['cache key and end user', { promptCacheKey: 'k', endUser: 'u' }, { prompt_cache_key: 'k', user: 'u' }],
  ['a tier that costs no more', { serviceTier: 'auto' }, { service_tier: 'auto' }],
  ['a dearer tier at a default endpoint', { serviceTier: 'priority' }, {}],
  ['tools', { tools }, wireTools],
  ['parallel calls', { tools, parallelToolCalls: false }, { ...wireTools, parallel_tool_calls: false }],
  ['parallel calls without tools', { parallelToolCalls: false }, {}],
  ['no tool', { tools, toolChoice: { kind: 'none' } }, { ...wireTools, tool_choice: 'none' }],
  ['some tool', { tools, toolChoice: { kind: 'required' } }, { ...wireTools, tool_choice: 'required' }],
  [
    'one tool',
    { tools, toolChoice: { kind: 'tool', form: 'function', name: 'clock' } },
    { ...wireTools, tool_choice: { type: 'function', function: { name: 'clock' } } },
  ],
  [
    'some tools, or none',
    { tools, toolChoice: { kind: 'allowed', mode: 'auto', names: ['clock'] } },
    wireTools,
  ],
  [
    'one of some tools',
    { tools, toolChoice: { kind: 'allowed', mode: 'required', names: ['clock'] } },
    { ...wireTools, tool_choice: 'required' },
  ],
];

for (const [name, request, members] of settings) {
  test(`setting: ${name}`, () => assert.deepEqual(sentBody(adapter, { request }), { ...plain, ...members }));
}

const lark = {
  kind: 'custom',
  name: 'patch',
  description: 'Patches.',
  grammar: { syntax: 'lark', definition: 'start: "a"' },
} as const;
const customChoice = { kind: 'tool', form: 'custom', name: 'patch' } as const;

const quirks: readonly (readonly [string, CallChanges, object])[] = [
  ['maxTokensField', { request: { maxOutputTokens: 7 } }, { max_completion_tokens: 7 }],
  ['seedField', { request: { sampling: { seed: 3 } } }, { random_seed: 3 }],
  [
    'toolChoices',
    { request: { tools, toolChoice: { kind: 'allowed', mode: 'auto', names: ['clock'] } } },
    {
      ...wireTools,
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'clock' } }] },
      },
    },
  ],
  [
    'customTools',
    { request: { tools: [lark], toolChoice: customChoice } },
    {
      tools: [
        {
          type: 'custom',
          custom: {
            name: 'patch',
            description: 'Patches.',
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } },
          },
        },
      ],
      tool_choice: { type: 'custom', custom: { name: 'patch' } },
    },
  ],
];

const allQuirks = {
  maxTokensField: 'max_completion_tokens',
  seedField: 'random_seed',
  toolChoices: ['none', 'required', 'named', 'allowed_tools'],
  customTools: true,
};

for (const [name, changes, members] of quirks) {
  test(`quirk: ${name}`, () => {
    const body = sentBody(adapter, { ...changes, provider: { quirks: allQuirks } });
    assert.deepEqual(body, { ...plain, ...members });
  });
}

test('an unstreamed call asks for one body, unless the provider only streams', () => {
  const { stream_options: _, ...rest } = plain;
  assert.deepEqual(sentBody(adapter, { streamed: false }), { ...rest, stream: false });
  const provider = { quirks: { alwaysStream: true } };
  assert.deepEqual(sentBody(adapter, { streamed: false, provider }), plain);
});

test('quirk: streamOptions and omit leave members out', () => {
  const provider = { quirks: { streamOptions: false, omit: ['user'] } };
  const { stream_options: _, ...rest } = plain;
  assert.deepEqual(sentBody(adapter, { provider, request: { endUser: 'u' } }), rest);
});

test('a tier endpoint asks for its tier', () => {
  const body = sentBody(adapter, { endpoint: { tier: 'flex' } });
  assert.equal(body.service_tier, 'flex');
});

test('parameters that the endpoint is declared not to support are left out, the token limit never', () => {
  const request: Partial<CanonicalChat> = {
    maxOutputTokens: 7,
    sampling: { temperature: 0, topP: 0.5, topLogprobs: 2, seed: 1 },
    tools,
    toolChoice: { kind: 'required' },
    format: { kind: 'json_schema', name: 'answer', schema },
    reasoning: { effort: 'high' },
    verbosity: 'low',
  };
  const body = (...names: string[]) =>
    sentBody(adapter, { request, endpoint: { supportedParameters: new Set(names) } });
  assert.deepEqual(body('temperature'), { ...plain, max_tokens: 7, temperature: 0 });
  assert.deepEqual(body('tools', 'reasoning'), {
    ...plain,
    max_tokens: 7,
    ...wireTools,
    reasoning_effort: 'high',
  });
  assert.deepEqual(body('response_format').response_format, { type: 'json_object' });
  assert.equal(body('tool_choice').tool_choice, undefined);
});

const reasoningForms: readonly (readonly [object, object, object, object])[] = [
  // Controls, then what is sent for: high effort, a budget of 3000 tokens, none.
  [{ reasoningControls: [] }, {}, {}, {}],
  [
    { reasoningControls: ['reasoning'] },
    { reasoning: { effort: 'high' } },
    { reasoning: { max_tokens: 3000 } },
    { reasoning: { enabled: false } },
  ],
  [
    { reasoningControls: ['thinking', 'reasoning_effort'] },
    { thinking: { type: 'enabled' }, reasoning_effort: 'high' },
    { thinking: { type: 'enabled' }, reasoning_effort: 'low' },
    { thinking: { type: 'disabled' } },
  ],
  [
    { reasoningControls: ['thinking.budget_tokens'] },
    { thinking: { type: 'enabled', budget_tokens: 8000 } },
    { thinking: { type: 'enabled', budget_tokens: 3000 } },
    { thinking: { type: 'disabled' } },
  ],
  [
    { reasoningControls: ['enable_thinking', 'thinking_budget'] },
    { enable_thinking: true, thinking_budget: 8000 },
    { enable_thinking: true, thinking_budget: 3000 },
    { enable_thinking: false },
  ],
  [
    {
      reasoningControls: ['chat_template_kwargs.thinking', 'chat_template_kwargs.enable_thinking'],
      body: { chat_template_kwargs: { own: 1 } },
    },
    { chat_template_kwargs: { own: 1, thinking: true, enable_thinking: true } },
    { chat_template_kwargs: { own: 1, thinking: true, enable_thinking: true } },
    { chat_template_kwargs: { own: 1, thinking: false, enable_thinking: false } },
  ],
  [
    { reasoningControls: ['reasoning.enabled'] },
    { reasoning: { enabled: true } },
    { reasoning: { enabled: true } },
    { reasoning: { enabled: false } },
  ],
  [
    { efforts: ['none', 'low', 'medium'] },
    { reasoning_effort: 'medium' },
    { reasoning_effort: 'low' },
    { reasoning_effort: 'none' },
  ],
];

for (const [quirks, ...sent] of reasoningForms) {
  test(`reasoning steered by ${JSON.stringify(quirks)}`, () => {
    const asked = [{ effort: 'high' }, { maxTokens: 3000 }, { effort: 'none' }] as const;
    for (const [place, reasoning] of asked.entries()) {
      const request = { reasoning, maxOutputTokens: 10_000 };
      const body = sentBody(adapter, {
        request,
        provider: { quirks: { ...quirks, maxTokensField: 'max_tokens' } },
      });
      assert.deepEqual(body, { ...plain, max_tokens: 10_000, ...sent[place] });
    }
  });
}

const search = {
  kind: 'hosted',
  tool: 'web_search',
  type: 'web_search',
  settings: { search_context_size: 'low', user_location: { type: 'approximate', city: 'Brest' } },
} as const;
const oneTool = { kind: 'tool', form: 'function', name: 'clock' } as const;

const moreQuirks: readonly (readonly [object, Partial<CanonicalChat>, object])[] = [
  [{ endUserField: 'user_id' }, { endUser: 'u' }, { user_id: 'u' }],
  [
    { serviceTiers: { auto: 'auto', default: 'on_demand' } },
    { serviceTier: 'default' },
    { service_tier: 'on_demand' },
  ],
  [{ serviceTiers: { auto: 'auto' } }, { serviceTier: 'scale' }, {}],
  [
    { body: { reasoning_format: 'parsed', user: 'fixed' } },
    {},
    { reasoning_format: 'parsed', user: 'fixed' },
  ],
  [{ body: { user: 'fixed' } }, { endUser: 'u' }, { user: 'u' }],
  [{ omit: ['tools', 'tool_choice'] }, { tools, toolChoice: { kind: 'required' } }, {}],
  [{ logprobs: 'count' }, { sampling: { topLogprobs: 3 } }, { logprobs: 3 }],
  [{ structuredOutput: 'json_schema_only' }, { format: { kind: 'json_object' } }, {}],
  [
    { structuredOutput: 'json_object_schema' },
    { format: { kind: 'json_schema', name: 'answer', schema } },
    { response_format: { type: 'json_object', schema } },
  ],
  [
    {
      byModel: {
        'ATLAS-*': { seedField: 'a', endUserField: 'b' },
        '*-instruct': { seedField: 'c' },
        atlas: { omit: ['c'] },
      },
    },
    { sampling: { seed: 1 }, endUser: 'u' },
    { c: 1, b: 'u' },
  ],
  [
    { reasoningControls: ['thinking.adaptive'] },
    { reasoning: { effort: 'low' } },
    { thinking: { type: 'adaptive' } },
  ],
  [
    { strictTools: false },
    { tools: [weather] },
    { tools: [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }] },
  ],
  [{ toolChoices: [] }, { tools, toolChoice: { kind: 'none' } }, {}],
  [
    { toolChoices: ['required'] },
    { tools, toolChoice: oneTool },
    { tools: [wireClock], tool_choice: 'required' },
  ],
  [
    { requiredWord: 'any' },
    { tools, toolChoice: { kind: 'required' } },
    { ...wireTools, tool_choice: 'any' },
  ],
  [
    { structuredOutput: 'json_object' },
    { format: { kind: 'json_object' } },
    { response_format: { type: 'json_object' } },
  ],
  [{ structuredOutput: 'none' }, { format: { kind: 'json_object' } }, {}],
  [{ webSearch: 'enable_search' }, { tools: [search] }, { enable_search: true }],
  [
    { webSearch: 'web_search_options' },
    { tools: [search, ...tools] },
    {
      ...wireTools,
      web_search_options: {
        search_context_size: 'low',
        user_location: { type: 'approximate', approximate: { city: 'Brest' } },
      },
    },
  ],
  [
    { imageOutput: true },
    { outputModalities: ['text', 'image'], imageConfig: { aspect_ratio: '1:1' } },
    { modalities: ['text', 'image'], image_config: { aspect_ratio: '1:1' } },
  ],
  [{}, { verbosity: 'max' }, { verbosity: 'high' }],
];

for (const [quirks, request, members] of moreQuirks) {
  test(`quirks ${JSON.stringify(quirks)} and ${JSON.stringify(request)}`, () => {
    assert.deepEqual(sentBody(adapter, { request, provider: { quirks: { ...quirks } } }), {
      ...plain,
      ...members,
    });
  });
}

test('quirks: path and the header of the credential', () => {
  const wire = adapter.encode(createCall({ provider: { quirks: { path: '/v1/chat', auth: 'api-key' } } }));
  assert.equal(wire.path, '/v1/chat');
  assert.deepEqual(wire.headers, { 'api-key': testApiKey });
});

test('of more texts to stop at than a provider takes the first ones count', () => {
  const stop = ['1', '2', '3', '4', '5'];
  const sent = (quirks: Readonly<Record<string, unknown>>) =>
    sentBody(adapter, { request: { sampling: { stop } }, provider: { quirks } }).stop;
  assert.deepEqual(sent({ mostStops: 4 }), ['1', '2', '3', '4']);
  assert.deepEqual(sent({}), stop);
});
