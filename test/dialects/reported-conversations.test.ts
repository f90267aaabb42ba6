import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type AskedProviders, askProviders, type Body, parameters } from './support/asked-providers.ts';

/* What users of gateways reported that providers refuse or get wrong: roles, replayed calls, seals and cache marks. */

let providers: AskedProviders;

before(async () => {
  providers = await askProviders();
});

after(() => providers.close());

describe('system messages in the middle', () => {
  const conversation = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'yo' },
    { role: 'developer', content: 'mode changed' },
    { role: 'user', content: 'go' },
  ];
  const request = {
    instructions: 'Be brief.',
    input: [{ role: 'developer', content: 'Permissions.' }, ...conversation],
  };
  const rolesOf = (body: Body) => body.messages.map(({ role }: Body) => role);
  for (const model of ['ollama/qwen3', 'local/qwen3', 'mistral/mistral-small-latest']) {
    test(`are told in their place as text of the user to ${model}`, async () => {
      const { messages } = await providers.sent('responses', model, request);
      assert.deepEqual(messages[0], { role: 'system', content: 'Be brief.\n\nPermissions.' });
      assert.deepEqual(rolesOf({ messages }), ['system', 'user', 'assistant', 'user', 'user']);
      assert.equal(messages[3].content, '<system>\nmode changed\n</system>');
    });
  }

  for (const model of ['lenient/qwen3', 'acme/chat']) {
    test(`stay where they are at ${model}`, async () => {
      const roles = rolesOf(await providers.sent('responses', model, request));
      assert.deepEqual(roles, ['system', 'system', 'user', 'assistant', 'system', 'user']);
    });
  }

  test('are refused to a strict request, which names where they stand', async () => {
    const answer = await providers.gateway.post(
      { model: 'local/qwen3', ...request },
      { 'x-service-strict': 'true' },
    );
    assert.match(await answer.text(), /input\[3\]/);
    assert.ok(answer.status >= 400 && answer.status < 500, String(answer.status));
  });
});

test('a call whose arguments are cut is told to every provider as an object', async () => {
  const cut = '{"service":"checkout","window":"24h"';
  const call = { id: 'c1', type: 'function', function: { name: 'w', arguments: cut } };
  const request = {
    messages: [
      { role: 'user', content: 'p99?' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'Error: bad JSON' },
      { role: 'user', content: 'again' },
    ],
    tools: [{ type: 'function', function: { name: 'w', parameters } }],
  };
  for (const model of ['ollama/qwen3', 'local/qwen3', 'mistral/mistral-small-latest', 'acme/chat']) {
    const { messages } = await providers.sent('chat/completions', model, request);
    assert.deepEqual(JSON.parse(messages[1].tool_calls[0].function.arguments), { input: cut }, model);
  }
  const claude = await providers.sent('chat/completions', 'acme/claude-sonnet-4.5', request);
  assert.deepEqual(claude.messages[1].content[0].input, { input: cut });
  // Responses takes any text as arguments.
  const own = await providers.sent('chat/completions', 'acme/responses', request);
  assert.equal(own.input[1].arguments, cut);
  const strict = { 'x-service-strict': 'true' };
  for (const model of ['acme/chat', 'acme/claude-sonnet-4.5', 'google/gemini-3-pro']) {
    const refusal = await providers.ask('chat/completions', model, request, strict);
    const text = await refusal.text();
    assert.ok(refusal.status >= 400 && refusal.status < 500, `${model}: ${refusal.status}`);
    assert.match(text, /input\[1\].*would be adapted/, model);
  }
});

describe('Mistral', () => {
  const model = 'mistral/mistral-small-latest';
  test('hears a word of the model between outputs of tools and the user', async () => {
    const { messages } = await providers.sent('messages', model, {
      max_tokens: 100,
      messages: [
        { role: 'user', content: 'w?' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'w', input: { city: 'B' } }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: 'rain' },
            { type: 'text', text: 'Be brief.' },
          ],
        },
      ],
      tools: [{ name: 'w', input_schema: parameters }],
    });
    assert.deepEqual(
      messages.map(({ role }: Body) => role),
      ['user', 'assistant', 'tool', 'assistant', 'user'],
    );
  });

  test('is given no word of the model for a strict request, which others serve', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'w', arguments: '{}' } };
    const request = {
      messages: [
        { role: 'user', content: 'w?' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'rain' },
        { role: 'user', content: 'Be brief.' },
      ],
      tools: [{ type: 'function', function: { name: 'w', parameters } }],
    };
    const strict = { 'x-service-strict': 'true' };
    const refusal = await providers.ask('chat/completions', model, request, strict);
    assert.match(await refusal.text(), /input\[3\].*would be adapted/);
    assert.ok(refusal.status >= 400 && refusal.status < 500);
    const before = providers.count;
    await (await providers.ask('chat/completions', 'acme/chat', request, strict)).arrayBuffer();
    assert.equal(providers.count, before + 1);
  });

  test('is told that the answer goes on from a last message of the model', async () => {
    const { messages } = await providers.sent('messages', model, {
      max_tokens: 100,
      messages: [
        { role: 'user', content: 'A poem.' },
        { role: 'assistant', content: 'Roses' },
      ],
    });
    assert.deepEqual(messages.at(-1), { role: 'assistant', content: 'Roses', prefix: true });
  });
});

describe('what Claude sealed in its searches', () => {
  const searched = {
    max_tokens: 500,
    messages: [
      { role: 'user', content: 'q' },
      {
        role: 'assistant',
        content: [
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
          {
            type: 'web_search_tool_result',
            tool_use_id: 'srvtoolu_1',
            content: [
              {
                type: 'web_search_result',
                url: 'https://a',
                title: 'A',
                encrypted_content: 'SEALED',
                page_age: null,
              },
            ],
          },
          { type: 'text', text: 'ans' },
        ],
      },
      { role: 'user', content: 'more' },
    ],
  };
  for (const model of [
    'openai/gpt-5.2',
    'acme/responses',
    'acme/chat',
    'google/gemini-3-pro',
    'ollama/qwen3',
  ]) {
    test(`does not reach ${model}`, async () => {
      const body = JSON.stringify(await providers.sent('messages', model, searched));
      assert.doesNotMatch(body, /SEALED|anthropic-claude-v1|signature/);
      assert.match(body, /ans/);
    });
  }

  test('goes back to Claude, and to OpenAI the search as an item with an id', async () => {
    assert.match(
      JSON.stringify(await providers.sent('messages', 'acme/claude-sonnet-4.5', searched)),
      /SEALED/,
    );
    const { input } = await providers.sent('messages', 'openai/gpt-5.2', searched);
    const item = input.find(({ type }: Body) => type === 'web_search_call');
    assert.match(item.id, /^ws_[0-9a-f]{48}$/);
    assert.deepEqual(Object.keys(item).toSorted(), ['action', 'id', 'status', 'type']);
  });

  test('of code that ran elsewhere OpenAI is told as of a call', async () => {
    const code = [
      { type: 'server_tool_use', id: 'srvtoolu_2', name: 'code_execution', input: { code: 'print(1)' } },
      {
        type: 'code_execution_tool_result',
        tool_use_id: 'srvtoolu_2',
        content: { type: 'code_execution_result', stdout: '1', stderr: '', return_code: 0, content: [] },
      },
      { type: 'text', text: 'ans' },
    ];
    const [first, , last] = searched.messages;
    const { input } = await providers.sent('messages', 'openai/gpt-5.2', {
      max_tokens: 500,
      messages: [first, { role: 'assistant', content: code }, last],
    });
    const types = input.map(({ type }: Body) => type);
    assert.deepEqual(types, ['message', 'function_call', 'function_call_output', 'message', 'message']);
  });
});

test('ids of calls that come again in a conversation are told apart, and outputs find their calls', async () => {
  const turn = (at: number) => [
    { type: 'function_call', call_id: 'w:0', name: 'w', arguments: `{"city":"${at}"}` },
    { type: 'function_call_output', call_id: 'w:0', output: `out ${at}` },
  ];
  const request = {
    input: [{ role: 'user', content: 'q' }, ...turn(1), ...turn(2), { role: 'user', content: 'go' }],
  };
  const { input } = await providers.sent('responses', 'acme/responses', request);
  const calls = input.filter(({ type }: Body) => type === 'function_call');
  const outputs = input.filter(({ type }: Body) => type === 'function_call_output');
  assert.deepEqual(
    calls.map((item: Body) => item.call_id),
    ['w:0', 'w:0_2'],
  );
  assert.deepEqual(
    outputs.map((item: Body) => [item.call_id, item.output]),
    [
      ['w:0', 'out 1'],
      ['w:0_2', 'out 2'],
    ],
  );
  const { messages } = await providers.sent('responses', 'acme/chat', request);
  const ids = messages.flatMap((one: Body) => one.tool_calls?.map(({ id }: Body) => id) ?? []);
  assert.equal(new Set(ids).size, 2);
});

describe('marks of cacheable prefixes', () => {
  const mark = (ttl?: string) => ({ cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } });
  const tool = { name: 'w', input_schema: parameters };
  const text = (words: string, ttl?: string) => ({ type: 'text', text: words, ...mark(ttl) });
  const five = {
    max_tokens: 100,
    tools: [{ ...tool, ...mark() }],
    system: [text('s1'), text('s2')],
    messages: [
      { role: 'user', content: [text('a')] },
      { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
      { role: 'user', content: [text('c')] },
    ],
  };
  const claude = 'acme/claude-sonnet-4.5';
  const bedrock = 'bedrock/claude-sonnet-4.5';
  const marksIn = (body: Body): readonly string[] =>
    JSON.stringify(body).match(/"cache_control":\{[^}]*\}/g) ?? [];
  const pointsIn = (body: Body): readonly string[] =>
    JSON.stringify(body).match(/"cachePoint":\{[^}]*\}/g) ?? [];

  test('count together, those on tools too: the last four reach the provider', async () => {
    const body = await providers.sent('messages', claude, five);
    assert.equal(marksIn(body).length, 4);
    assert.equal(marksIn(body.tools).length, 0);
    assert.equal(pointsIn(await providers.sent('messages', bedrock, five)).length, 4);
    const { system: _system, ...fewer } = five;
    assert.equal(marksIn((await providers.sent('messages', claude, fewer)).tools).length, 1);
    const { toolConfig } = await providers.sent('messages', bedrock, fewer);
    assert.deepEqual(Object.keys(toolConfig.tools[1]), ['cachePoint']);
  });

  test('on a tool live as long as those after it, without changing another request', async () => {
    const longer = {
      max_tokens: 100,
      tools: [{ ...tool, ...mark() }],
      messages: [{ role: 'user', content: [text('a', '1h')] }],
    };
    const body = await providers.sent('messages', claude, longer);
    assert.equal(body.tools[0].cache_control.ttl, '1h');
    assert.equal(body.messages[0].content[0].cache_control.ttl, '1h');
  });

  test('on a call arrive', async () => {
    const request = {
      max_tokens: 100,
      tools: [tool],
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'w', input: {}, ...mark() }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'rain' }] },
      ],
    };
    const { messages } = await providers.sent('messages', claude, request);
    assert.deepEqual(messages[1].content[0].cache_control, { type: 'ephemeral', ttl: '5m' });
    const body = await providers.sent('messages', bedrock, request);
    assert.deepEqual(Object.keys(body.messages[1].content[1]), ['cachePoint']);
  });

  test('do not reach a model that does not cache', async () => {
    const body = await providers.sent('messages', 'bedrock/claude-3-haiku', five);
    assert.deepEqual(pointsIn(body), []);
  });

  test('are refused to a strict request where they would be lost', async () => {
    const answer = await providers.ask(
      'messages',
      'acme/chat',
      {
        max_tokens: 100,
        tools: [{ ...tool, ...mark() }],
        messages: [{ role: 'user', content: 'q' }],
      },
      { 'x-service-strict': 'true' },
    );
    assert.ok(answer.status >= 400 && answer.status < 500);
    assert.match(await answer.text(), /tools\[0\]\.cache_control/);
  });
});

describe('reasoning that nothing of the model follows', () => {
  const thought = (id: string) => ({
    type: 'reasoning',
    id,
    summary: [],
    encrypted_content: id,
    format: 'openai-responses-v1',
  });
  const user = { role: 'user', content: 'q' };
  const input = [
    user,
    thought('rs_1'),
    user,
    thought('rs_2'),
    thought('rs_3'),
    { role: 'assistant', content: 'Yes.' },
    thought('rs_4'),
    { type: 'function_call', call_id: 'c', name: 'w', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'x' },
    thought('rs_5'),
  ];
  const tools = [{ type: 'function', name: 'w', parameters }];

  test('does not reach OpenAI, which refuses it', async () => {
    const body = await providers.sent('responses', 'openai/gpt-5.2', { input, tools });
    assert.deepEqual(
      body.input.flatMap((item: Body) => item.encrypted_content ?? []),
      ['rs_2', 'rs_3', 'rs_4'],
    );
  });

  test('is refused to a strict request', async () => {
    const answer = await providers.ask(
      'responses',
      'openai/gpt-5.2',
      { input, tools },
      { 'x-service-strict': 'true' },
    );
    assert.ok(answer.status >= 400 && answer.status < 500);
    assert.match(await answer.text(), /input\[1\] would be dropped/);
  });
});

describe('marks of cacheable prefixes on tools, calls and outputs', () => {
  const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  const call = { id: 'c', type: 'function', function: { name: 'w', arguments: '{}' } };
  const user = { role: 'user', content: 'q' };
  const chat = (tool: object) => ({
    messages: [
      user,
      { role: 'assistant', content: null, tool_calls: [{ ...call, ...mark }] },
      { role: 'tool', tool_call_id: 'c', content: 'x', ...mark },
    ],
    tools: [tool],
  });
  const flat = { type: 'function', name: 'w', parameters };
  const asked: readonly (readonly [door: string, body: object])[] = [
    ['chat/completions', chat({ type: 'function', function: { name: 'w', parameters }, ...mark })],
    ['chat/completions', chat({ type: 'function', function: { name: 'w', parameters, ...mark } })],
    [
      'responses',
      {
        input: [
          user,
          { type: 'function_call', call_id: 'c', name: 'w', arguments: '{}', ...mark },
          { type: 'function_call_output', call_id: 'c', output: 'x', ...mark },
        ],
        tools: [{ ...flat, ...mark }],
      },
    ],
  ];

  for (const [index, [door, body]] of asked.entries()) {
    test(`reach Claude and Bedrock by ${door} (${index})`, async () => {
      const claude = await providers.sent(door, 'acme/claude-sonnet-4.5', body);
      const expected = { type: 'ephemeral', ttl: '1h' };
      assert.deepEqual(claude.tools[0].cache_control, expected);
      assert.deepEqual(claude.messages[1].content[0].cache_control, expected);
      assert.deepEqual(claude.messages[2].content[0].cache_control, expected);
      const bedrock = await providers.sent(door, 'bedrock/claude-sonnet-4.5', body);
      const isPoint = (block: Body) => 'cachePoint' in block;
      assert.ok(isPoint(bedrock.toolConfig.tools[1]));
      assert.ok(isPoint(bedrock.messages[1].content[1]));
      assert.ok(isPoint(bedrock.messages[2].content[1]));
    });

    test(`are lost with notice where nobody takes them, by ${door} (${index})`, async () => {
      const sent = await providers.sent(door, 'acme/chat', body);
      assert.ok(!JSON.stringify(sent).includes('cache_control'));
      const refused = await providers.ask(door, 'acme/chat', body, { 'x-service-strict': 'true' });
      assert.equal(refused.status, 422);
      assert.match(await refused.text(), /cache_control/);
    });
  }
});
