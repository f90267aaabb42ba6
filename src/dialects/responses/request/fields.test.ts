import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalOf, parse, parseBare, refusal } from '../../../../test/support/request-parsing.ts';

const pairs = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`key${index}`, 'v']));

/** Body members and the exact answer to them (docs/spec/requests.md#body, docs/spec/requests.md#fields). */
const refused: readonly (readonly [object, number, string])[] = [
  [{ input: undefined }, 400, 'input: is required, expected a string or an array of items'],
  [{ input: '' }, 400, 'input: must not be empty'],
  [{ input: [] }, 400, 'input: must not be empty'],
  [{ input: 5 }, 400, 'input: expected a string or an array of items, got a number'],
  [{ model: undefined }, 400, 'model: is required when models is empty, expected a string'],
  [{ model: 5 }, 400, 'model: expected a string, got a number'],
  [{ model: '' }, 400, 'model: must not be empty'],
  [{ models: 'a/b' }, 400, 'models: expected an array, got a string'],
  [{ models: ['a/b', 7] }, 400, 'models[1]: expected a string, got a number'],
  [{ models: Array(101).fill('a/b') }, 400, 'models: must have at most 100 entries, got 101'],
  [{ models: ['a/b@preset/x'] }, 400, 'models[0]: a fallback must not be a preset'],
  [{ instructions: ['x'] }, 400, 'instructions: expected a string, got an array'],
  [{ stream: 'true' }, 400, 'stream: expected a boolean, got a string'],
  [{ store: true }, 400, 'store: must be false, responses are not stored'],
  [
    { previous_response_id: 'resp_1' },
    400,
    'previous_response_id: must be null, nothing is stored here, send the whole history in input',
  ],
  [
    { conversation: { id: 'c' } },
    400,
    'conversation: must be null, nothing is stored here, send the whole history in input',
  ],
  [{ prompt: {}, input: undefined }, 400, 'prompt.id: is required, expected a string'],
  [{ background: 1 }, 400, 'background: expected a boolean, got a number'],
  [{ temperature: 3 }, 400, 'temperature: must be between 0 and 2, got 3'],
  [{ temperature: -0.1 }, 400, 'temperature: must be between 0 and 2, got -0.1'],
  [{ temperature: '1' }, 400, 'temperature: expected a number, got a string'],
  [{ temperature: Number.POSITIVE_INFINITY }, 400, 'temperature: expected a number, got Infinity'],
  [{ top_p: 1.01 }, 400, 'top_p: must be between 0 and 1, got 1.01'],
  [{ top_k: -1 }, 400, 'top_k: must be at least 0, got -1'],
  [{ top_k: 1.5 }, 400, 'top_k: expected an integer, got 1.5'],
  [{ frequency_penalty: 2.5 }, 400, 'frequency_penalty: must be between -2 and 2, got 2.5'],
  [{ presence_penalty: -3 }, 400, 'presence_penalty: must be between -2 and 2, got -3'],
  [{ top_logprobs: 21 }, 400, 'top_logprobs: must be between 0 and 20, got 21'],
  [{ min_p: 'low' }, 400, 'min_p: expected a number, got a string'],
  [{ top_a: [] }, 400, 'top_a: expected a number, got an array'],
  [{ repetition_penalty: true }, 400, 'repetition_penalty: expected a number, got a boolean'],
  [{ seed: 0.5 }, 400, 'seed: expected an integer, got 0.5'],
  [{ logit_bias: { '5': 'x' } }, 400, 'logit_bias["5"]: expected a number, got a string'],
  [{ stop: 5 }, 400, 'stop: expected a string or an array of strings, got a number'],
  [{ stop: ['a', 5] }, 400, 'stop[1]: expected a string, got a number'],
  [{ max_output_tokens: 0 }, 400, 'max_output_tokens: must be at least 1, got 0'],
  [{ max_tool_calls: 0 }, 400, 'max_tool_calls: must be at least 1, got 0'],
  [{ parallel_tool_calls: 'no' }, 400, 'parallel_tool_calls: expected a boolean, got a string'],
  [{ metadata: pairs }, 400, 'metadata: must have at most 16 pairs, got 17'],
  [{ metadata: { 'a[': 'x' } }, 400, 'metadata: key "a[" must be without brackets, got "a["'],
  [
    { metadata: { ['k'.repeat(65)]: 'x' } },
    400,
    `metadata: key "${'k'.repeat(40)}..." must be at most 64 characters, got 65`,
  ],
  [{ metadata: { k: 'v'.repeat(513) } }, 400, 'metadata.k: must be at most 512 characters, got 513'],
  [{ metadata: { 'a b': 5 } }, 400, 'metadata["a b"]: expected a string, got a number'],
  [{ modalities: ['audio'] }, 400, 'modalities[0]: must be one of "text", "image", got "audio"'],
  [
    { service_tier: 'turbo' },
    400,
    'service_tier: must be one of "auto", "default", "fast", "flex", "priority", "scale", got "turbo"',
  ],
  [{ session_id: 's'.repeat(257) }, 400, 'session_id: must be at most 256 characters, got 257'],
  [{ user: 'u'.repeat(257) }, 400, 'user: must be at most 256 characters, got 257'],
  [{ safety_identifier: 5 }, 400, 'safety_identifier: expected a string, got a number'],
  [{ cache_control: {} }, 400, 'cache_control.type: is required, one of "ephemeral"'],
  [
    { cache_control: { type: 'ephemeral', ttl: '2h' } },
    400,
    'cache_control.ttl: must be one of "5m", "1h", got "2h"',
  ],
  [{ prompt_cache_options: {} }, 400, 'prompt_cache_options.mode: is required, one of "explicit"'],
  [{ debug: { echo_upstream_body: 1 } }, 400, 'debug.echo_upstream_body: expected a boolean, got a number'],
  [
    { image_config: { size: {} } },
    400,
    'image_config.size: expected a string or a number or an array, got an object',
  ],
  [{ truncation: 'middle' }, 400, 'truncation: must be one of "auto", "disabled", got "middle"'],
  [{ trace: { trace_id: 5 } }, 400, 'trace.trace_id: expected a string, got a number'],
  [{ stop_server_tools_when: [] }, 400, 'stop_server_tools_when: must not be empty'],
  [
    { stop_server_tools_when: [{ type: 'has_tool_call', tool_name: '' }] },
    400,
    'stop_server_tools_when[0].tool_name: must not be empty',
  ],
  [
    { stop_server_tools_when: [{ type: 'never' }] },
    400,
    'stop_server_tools_when[0].type: must be one of "step_count_is", "has_tool_call", "max_tokens_used", "max_cost", "finish_reason_is", got "never"',
  ],
  [
    { reasoning: { max_tokens: 100 }, max_output_tokens: 100 },
    422,
    'reasoning.max_tokens: must be below max_output_tokens (100), got 100',
  ],
];

for (const [body, status, message] of refused) {
  test(`${status} ${message.slice(0, 90)}`, () => assert.deepEqual(refusal(body), [status, message]));
}

test('a body that is no object is refused', () => {
  for (const [body, kind] of [
    [[], 'an array'],
    [null, 'null'],
    ['x', 'a string'],
  ] as const) {
    assert.deepEqual(refusal(body), [400, `body: expected an object, got ${kind}`]);
  }
});

test('an unknown include value is named together with the allowed ones', () => {
  const [status, message] = refusal({
    include: ['reasoning.encrypted_content', 'web_search_call.action.sources'],
  });
  assert.equal(status, 400);
  assert.match(message, /^include\[1\]: must be one of "file_search_call\.results", .*"web_search_call/);
});

test('messages quote at most 40 characters of a value', () => {
  const [, message] = refusal({ truncation: 'secret prompt '.repeat(1000) });
  assert(message.length < 150, message);
});

test('null on every optional field means the field was left out', () => {
  const fields = Object.keys(parse({}).echo).concat(
    'stream',
    'plugins',
    'provider',
    'models',
    'include',
    'stop',
  );
  const nulls = Object.fromEntries(fields.map((field) => [field, null]));
  const plain = { model: 'acme/swift-1', input: 'Hello.' };
  assert.deepEqual(parseBare({ ...nulls, ...plain }), parseBare(plain));
});

test('the least request gives no setting a value', () => {
  assert.deepEqual(canonicalOf({}), {
    kind: 'chat',
    items: [{ kind: 'message', role: 'user', content: [{ kind: 'text', text: 'Hello.' }] }],
    tools: [],
    toolChoice: { kind: 'auto' },
    sampling: {},
    format: { kind: 'text' },
    includeEncryptedReasoning: false,
    outputModalities: ['text'],
    truncation: 'disabled',
  });
});

test('every setting reaches the canonical request', () => {
  const body = {
    instructions: 'Be brief.',
    temperature: 1,
    top_p: 1,
    top_k: 0,
    frequency_penalty: 0,
    presence_penalty: -1,
    top_logprobs: 3,
    min_p: 0.1,
    top_a: 0.2,
    repetition_penalty: 1.1,
    seed: 7,
    logit_bias: { '50256': -100 },
    stop: 'END',
    max_output_tokens: 200,
    parallel_tool_calls: false,
    modalities: ['text', 'image', 'text'],
    include: ['reasoning.encrypted_content', 'file_search_call.results', 'file_search_call.results'],
    service_tier: 'fast',
    prompt_cache_key: 'key',
    cache_control: { type: 'ephemeral' },
    truncation: 'auto',
    max_tool_calls: 99,
    image_config: { aspect_ratio: '16:9', sizes: [1, [2]] },
    prompt: {
      id: 'p_1',
      version: '2',
      variables: { city: 'Brest', photo: { type: 'input_file', file_id: 'f' } },
    },
    user: 'Ann',
  };
  assert.deepEqual(canonicalOf(body), {
    kind: 'chat',
    items: [{ kind: 'message', role: 'user', content: [{ kind: 'text', text: 'Hello.' }] }],
    tools: [],
    toolChoice: { kind: 'auto' },
    format: { kind: 'text' },
    instructions: 'Be brief.',
    sampling: {
      temperature: 1,
      topP: 1,
      topK: 0,
      frequencyPenalty: 0,
      presencePenalty: -1,
      topLogprobs: 3,
      minP: 0.1,
      topA: 0.2,
      repetitionPenalty: 1.1,
      seed: 7,
      logitBias: { '50256': -100 },
      stop: ['END'],
    },
    maxOutputTokens: 200,
    parallelToolCalls: false,
    outputModalities: ['text', 'image'],
    includeEncryptedReasoning: true,
    include: ['file_search_call.results'],
    maxToolCalls: 30,
    imageConfig: { aspect_ratio: '16:9', sizes: [1, [2]] },
    prompt: {
      id: 'p_1',
      version: '2',
      variables: { city: 'Brest', photo: { type: 'input_file', file_id: 'f' } },
    },
    serviceTier: 'priority',
    promptCacheKey: 'key',
    cacheControl: { ttl: '5m' },
    truncation: 'auto',
    endUser: 'hashed Ann',
  });
});

test('unknown top-level members change nothing', () => {
  const polluted = JSON.parse('{"model":"a/b","input":"x","__proto__":{"temperature":9},"vendor":{"a":1}}');
  assert.deepEqual(parseBare(polluted), parseBare({ model: 'a/b', input: 'x' }));
});

test('an end user is known to providers by a pseudonym of the safety identifier, else of the user', () => {
  const both = parse({ user: 'Ann', safety_identifier: 'id-7' });
  assert.equal(both.canonical.endUser, 'hashed id-7');
  assert.equal(both.user, 'Ann');
  assert.equal(both.safetyIdentifier, 'id-7');
  assert.equal(parse({}).canonical.endUser, undefined);
});

test('a session id in the body beats the header, and the header has the same bound', () => {
  const headers = { sessionId: 'from header' };
  assert.equal(parse({ session_id: 'from body' }, { headers }).sessionId, 'from body');
  assert.equal(parse({}, { headers }).sessionId, 'from header');
  assert.equal(parse({}).sessionId, undefined);
  assert.throws(() => parse({}, { headers: { sessionId: 's'.repeat(257) } }), {
    message: 'x-session-id: must be at most 256 characters, got 257',
  });
});

test('routing metadata is wanted for "enabled" in any case only', () => {
  for (const [metadata, wanted] of [
    ['Enabled', true],
    ['disabled', false],
    ['1', false],
  ] as const) {
    assert.equal(parse({}, { headers: { metadata } }).wantsMetadata, wanted);
  }
});

test('only "true" in any case makes a request strict', () => {
  for (const [strict, wanted] of [
    ['True', true],
    ['false', false],
    ['1', false],
    [undefined, false],
  ] as const) {
    assert.equal(parse({}, { headers: { strict } }).strict, wanted);
  }
});

test('a prompt template may stand in for the input, and is repeated', () => {
  const prompt = { id: 'p_1', variables: { who: { type: 'input_text', text: 'Ann' } } };
  for (const input of [undefined, null, '', [], [{ role: 'user', content: null }]]) {
    const { canonical, echo } = parse({ prompt, input });
    assert.deepEqual(canonical.items, []);
    assert.deepEqual([canonical.prompt, echo.prompt], [prompt, prompt]);
  }
  assert.equal('prompt' in parse({ prompt: null }).echo, false);
});

test('only explicit breakpoints count with prompt_cache_options, whose lifetime is the provider’s own word', () => {
  const { canonical, echo } = parse({
    prompt_cache_options: { mode: 'explicit', ttl: '30m' },
    cache_control: { type: 'ephemeral' },
  });
  assert.deepEqual(canonical.promptCacheOptions, { mode: 'explicit', ttl: '30m' });
  assert.equal(canonical.cacheControl, undefined);
  assert.deepEqual(echo.prompt_cache_options, { mode: 'explicit', ttl: '30m' });
});

test('stop conditions replace the limit of tool calls', () => {
  const stop_server_tools_when = [{ type: 'step_count_is', step_count: 3 }];
  assert.equal(parse({ max_tool_calls: 5 }).canonical.maxToolCalls, 5);
  assert.equal(parse({ max_tool_calls: 5, stop_server_tools_when }).canonical.maxToolCalls, undefined);
});

test('the upstream body is echoed only into streams', () => {
  const debug = { echo_upstream_body: true };
  assert.equal(parse({ debug, stream: true }).echoUpstreamBody, true);
  assert.equal(parse({ debug }).echoUpstreamBody, false);
});

test('the names of docs/spec/routing.md#parameters that a request uses are listed', () => {
  assert.deepEqual(parse({ stream: true, metadata: {}, temperature: null }).parameters, []);
  const used = parse({
    temperature: 0,
    max_output_tokens: 2000,
    top_logprobs: 2,
    stop: ['x'],
    seed: 1,
    tools: [{ type: 'function', name: 'f' }],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    text: { format: { type: 'json_schema', name: 'n', schema: {} }, verbosity: 'low' },
    reasoning: { effort: 'low' },
  }).parameters;
  assert.deepEqual([...used].sort(), [
    'max_tokens',
    'parallel_tool_calls',
    'reasoning',
    'seed',
    'stop',
    'structured_outputs',
    'temperature',
    'tool_choice',
    'tools',
    'top_logprobs',
    'verbosity',
  ]);
});
