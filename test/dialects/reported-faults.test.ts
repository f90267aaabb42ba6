import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findProviderRow } from '../../src/catalogue/provider-rows.ts';
import type { Model, Provider } from '../../src/core/catalogue.ts';
import { Secret } from '../../src/util/secret.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/* What users of gateways reported that providers refuse, each kind at every provider it can reach. */

// biome-ignore lint/suspicious/noExplicitAny: bodies of several dialects.
type Body = any;

const refused = {
  status: 400,
  headers: { 'content-type': 'application/json' },
  steps: [JSON.stringify({ error: { message: 'no', type: 'invalid_request_error' } })],
};

let upstream: FakeUpstream;
let gateway: TestGateway;

function builtIn(slug: string): Provider {
  const row = findProviderRow(slug);
  assert.ok(row);
  return providerOf({ slug, adapter: row.adapter, quirks: row.quirks ?? {}, baseUrl: `${upstream.url}/v1` });
}

before(async () => {
  upstream = await startFakeUpstream();
  const baseUrl = `${upstream.url}/v1`;
  const at = (id: string, provider: Provider): Model => modelOf(id, [provider]);
  gateway = await startGateway({
    models: [
      at('openai/gpt-5.2', builtIn('openai')),
      at('acme/responses', providerOf({ slug: 'responses', adapter: 'openai-responses', baseUrl })),
      at('acme/chat', providerOf({ slug: 'chat', baseUrl })),
      at('ollama/qwen3', builtIn('ollama')),
      at('local/qwen3', providerOf({ slug: 'local', baseUrl, discovers: true })),
      at(
        'lenient/qwen3',
        providerOf({ slug: 'lenient', baseUrl, discovers: true, quirks: { system_messages: 'any' } }),
      ),
      at('mistral/mistral-small-latest', builtIn('mistral')),
      at('acme/claude-sonnet-4.5', providerOf({ slug: 'claude', adapter: 'anthropic-messages', baseUrl })),
      modelOf(
        'acme/claude-opus-4.5',
        [providerOf({ slug: 'strict-claude', adapter: 'anthropic-messages', baseUrl })],
        { supportedParameters: new Set(['tools', 'tool_choice', 'structured_outputs', 'response_format']) },
      ),
      ...(['eu.anthropic.claude-sonnet-4-5-v1:0', 'anthropic.claude-3-haiku-20240307-v1:0'] as const).map(
        (upstreamModel, index) =>
          modelOf(
            index === 0 ? 'bedrock/claude-sonnet-4.5' : 'bedrock/claude-3-haiku',
            [
              providerOf({
                slug: `bedrock-${index}`,
                adapter: 'amazon-bedrock',
                baseUrl: upstream.url,
                apiKey: new Secret('bedrock-key-0123456789'),
              }),
            ],
            { upstreamModel },
          ),
      ),
      at('google/gemini-3-pro', providerOf({ slug: 'gemini', adapter: 'google-gemini', baseUrl })),
    ],
  });
  upstream.play(refused);
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

/** What the provider of a model is sent for a request at a door. */
async function sent(
  door: string,
  model: string,
  request: object,
  headers: Record<string, string> = {},
): Promise<Body> {
  const before = upstream.requests.length;
  const answer = await fetch(`${gateway.url}/api/v1/${door}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}`, ...headers },
    body: JSON.stringify({ model, ...request }),
  });
  const text = await answer.text();
  assert.equal(upstream.requests.length, before + 1, text);
  return upstream.requests[before]?.body;
}

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: [] };

describe('functions without `strict`', () => {
  const chat = { messages: [{ role: 'user', content: 'q' }] };
  const messages = { max_tokens: 100, ...chat };
  for (const model of ['openai/gpt-5.2', 'acme/responses']) {
    test(`are not strict at ${model} when they come by a dialect where that is the default`, async () => {
      const nested = { type: 'function', function: { name: 'w', parameters } };
      const bodies = [
        await sent('chat/completions', model, { ...chat, tools: [nested] }),
        await sent('messages', model, { ...messages, tools: [{ name: 'w', input_schema: parameters }] }),
      ];
      for (const { tools } of bodies) assert.equal(tools[0].strict, false);
    });

    test(`stay as they are at ${model} when they come by its own dialect`, async () => {
      const tool = { type: 'function', name: 'w', parameters };
      const unset = await sent('responses', model, {
        input: 'q',
        tools: [tool, { ...tool, name: 'n', strict: null }],
      });
      for (const one of unset.tools) assert.ok(!('strict' in one));
      const set = await sent('responses', model, { input: 'q', tools: [{ ...tool, strict: true }] });
      assert.equal(set.tools[0].strict, true);
    });
  }

  test('are sent to providers of chat completions without it', async () => {
    const tool = { type: 'function', name: 'w', parameters };
    for (const strict of [undefined, null, false]) {
      const body = await sent('responses', 'acme/chat', { input: 'q', tools: [{ ...tool, strict }] });
      assert.ok(!('strict' in body.tools[0].function));
    }
  });
});

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
      const { messages } = await sent('responses', model, request);
      assert.deepEqual(messages[0], { role: 'system', content: 'Be brief.\n\nPermissions.' });
      assert.deepEqual(rolesOf({ messages }), ['system', 'user', 'assistant', 'user', 'user']);
      assert.equal(messages[3].content, '<system>\nmode changed\n</system>');
    });
  }

  for (const model of ['lenient/qwen3', 'acme/chat']) {
    test(`stay where they are at ${model}`, async () => {
      const roles = rolesOf(await sent('responses', model, request));
      assert.deepEqual(roles, ['system', 'system', 'user', 'assistant', 'system', 'user']);
    });
  }

  test('are refused to a strict request, which names where they stand', async () => {
    const answer = await gateway.post({ model: 'local/qwen3', ...request }, { 'x-service-strict': 'true' });
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
    const { messages } = await sent('chat/completions', model, request);
    assert.deepEqual(JSON.parse(messages[1].tool_calls[0].function.arguments), { input: cut }, model);
  }
  const claude = await sent('chat/completions', 'acme/claude-sonnet-4.5', request);
  assert.deepEqual(claude.messages[1].content[0].input, { input: cut });
});

describe('Mistral', () => {
  const model = 'mistral/mistral-small-latest';
  test('hears a word of the model between outputs of tools and the user', async () => {
    const { messages } = await sent('messages', model, {
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

  test('is told that the answer goes on from a last message of the model', async () => {
    const { messages } = await sent('messages', model, {
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
      const body = JSON.stringify(await sent('messages', model, searched));
      assert.doesNotMatch(body, /SEALED|anthropic-claude-v1|signature/);
      assert.match(body, /ans/);
    });
  }

  test('goes back to Claude, and to OpenAI the search as an item with an id', async () => {
    assert.match(JSON.stringify(await sent('messages', 'acme/claude-sonnet-4.5', searched)), /SEALED/);
    const { input } = await sent('messages', 'openai/gpt-5.2', searched);
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
    const { input } = await sent('messages', 'openai/gpt-5.2', {
      max_tokens: 500,
      messages: [first, { role: 'assistant', content: code }, last],
    });
    const types = input.map(({ type }: Body) => type);
    assert.deepEqual(types, ['message', 'function_call', 'function_call_output', 'message', 'message']);
  });
});

describe('thoughts that the client wants to see', () => {
  const q = [{ role: 'user', content: 'q' }];
  const thinking = { type: 'enabled', budget_tokens: 4000 };
  const model = 'openai/gpt-5.2';
  test('are asked of OpenAI as a summary', async () => {
    const asked = [
      await sent('messages', model, { max_tokens: 8000, messages: q, thinking }),
      await sent('messages', model, {
        max_tokens: 8000,
        messages: q,
        thinking: { ...thinking, display: 'summarized' },
      }),
      await sent('messages', model, { max_tokens: 8000, messages: q, thinking: { type: 'adaptive' } }),
      await sent('chat/completions', model, {
        messages: q,
        reasoning_effort: 'low',
        include_reasoning: true,
      }),
      await sent('chat/completions', model, { messages: q, reasoning: { effort: 'low', exclude: false } }),
    ];
    for (const { reasoning } of asked) assert.equal(reasoning.summary, 'auto');
  });

  test('are not asked for where they are to be left out, or where nobody said so', async () => {
    const unasked = [
      await sent('messages', model, {
        max_tokens: 8000,
        messages: q,
        thinking: { ...thinking, display: 'omitted' },
      }),
      await sent('chat/completions', model, { messages: q, reasoning_effort: 'low' }),
      await sent('chat/completions', model, {
        messages: q,
        reasoning_effort: 'low',
        include_reasoning: false,
      }),
    ];
    for (const { reasoning } of unasked) assert.ok(!('summary' in reasoning));
  });
});

const json = (value: object) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  steps: [JSON.stringify(value)],
});
const weather = [{ type: 'function', function: { name: 'w', parameters } }];

describe('two calls of one answer with one id', () => {
  const call = { id: 'same', type: 'function', function: { name: 'w', arguments: '{}' } };
  const answers: Readonly<Record<string, object>> = {
    'acme/chat': {
      id: 'a',
      choices: [
        { index: 0, message: { role: 'assistant', tool_calls: [call, call] }, finish_reason: 'tool_calls' },
      ],
      usage: { prompt_tokens: 9, completion_tokens: 5 },
    },
    'acme/responses': {
      id: 'a',
      status: 'completed',
      output: [1, 2].map((at) => ({
        type: 'function_call',
        id: `fc_${at}`,
        call_id: 'same',
        name: 'w',
        arguments: '{}',
        status: 'completed',
      })),
      usage: { input_tokens: 9, output_tokens: 5, total_tokens: 14 },
    },
    'acme/claude-sonnet-4.5': {
      id: 'a',
      type: 'message',
      role: 'assistant',
      content: [1, 2].map(() => ({ type: 'tool_use', id: 'same', name: 'w', input: {} })),
      stop_reason: 'tool_use',
      usage: { input_tokens: 9, output_tokens: 5 },
    },
    'google/gemini-3-pro': {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [1, 2].map(() => ({ functionCall: { id: 'same', name: 'w', args: {} } })),
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
    },
  };
  for (const [model, answer] of Object.entries(answers)) {
    test(`get ids of their own, from ${model}`, async (t) => {
      upstream.play(json(answer));
      t.after(() => upstream.play(refused));
      const ask = async (door: string, body: object): Promise<Body> => {
        const got = await fetch(`${gateway.url}/api/v1/${door}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
          body: JSON.stringify({ model, ...body }),
        });
        return got.json();
      };
      const flat = weather.map(({ type, function: named }) => ({ type, ...named }));
      const messages = [{ role: 'user', content: 'q' }];
      const responses = await ask('responses', { input: 'q', tools: flat });
      const chat = await ask('chat/completions', { messages, tools: weather });
      const claude = await ask('messages', {
        max_tokens: 100,
        messages,
        tools: [{ name: 'w', input_schema: parameters }],
      });
      for (const ids of [
        responses.output.map((item: Body) => item.call_id),
        chat.choices[0].message.tool_calls.map(({ id }: Body) => id),
        claude.content.map(({ id }: Body) => id),
      ]) {
        assert.equal(ids.length, 2);
        assert.equal(new Set(ids).size, 2, ids.join());
      }
    });
  }
});

test('ids of calls that come again in a conversation are told apart, and outputs find their calls', async () => {
  const turn = (at: number) => [
    { type: 'function_call', call_id: 'w:0', name: 'w', arguments: `{"city":"${at}"}` },
    { type: 'function_call_output', call_id: 'w:0', output: `out ${at}` },
  ];
  const request = {
    input: [{ role: 'user', content: 'q' }, ...turn(1), ...turn(2), { role: 'user', content: 'go' }],
  };
  const { input } = await sent('responses', 'acme/responses', request);
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
  const { messages } = await sent('responses', 'acme/chat', request);
  const ids = messages.flatMap((one: Body) => one.tool_calls?.map(({ id }: Body) => id) ?? []);
  assert.equal(new Set(ids).size, 2);
});

describe('a stream that ends without a reason', () => {
  const chunk = (delta: object) => `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta }] })}\n\n`;
  const fragment = (text: string) =>
    chunk({
      tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'w', arguments: text } }],
    });
  const ask = (text: string) => {
    upstream.play({ steps: [fragment(text), 'data: [DONE]\n\n'] });
    return gateway.post({
      model: 'acme/chat',
      input: 'q',
      tools: [{ type: 'function', name: 'w', parameters }],
    });
  };
  test('in the middle of the arguments of a call has failed', async (t) => {
    t.after(() => upstream.play(refused));
    const answer: Body = await (await ask('{"city":"Bre')).json();
    assert.equal(answer.status, 'failed', JSON.stringify(answer));
    assert.match(answer.error.message, /before the answer was complete/);
  });

  test('after whole arguments has made the call', async (t) => {
    t.after(() => upstream.play(refused));
    const answer: Body = await (await ask('{"city":"Brest"}')).json();
    assert.equal(answer.output[0].arguments, '{"city":"Brest"}');
  });
});

test('`max_tokens: 0` of Messages goes to Claude as it is, and is 400 where no cache could be warmed', async (t) => {
  const request = { max_tokens: 0, messages: [{ role: 'user', content: 'A long prompt.' }] };
  const { max_tokens } = await sent('messages', 'acme/claude-sonnet-4.5', request);
  assert.equal(max_tokens, 0);
  const warmed = { id: 'a', type: 'message', role: 'assistant', content: [], stop_reason: 'max_tokens' };
  upstream.play(
    json({ ...warmed, usage: { input_tokens: 1, cache_creation_input_tokens: 9, output_tokens: 0 } }),
  );
  t.after(() => upstream.play(refused));
  const ask = (model: string) =>
    fetch(`${gateway.url}/api/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
      body: JSON.stringify({ model, ...request }),
    });
  const answer = await ask('acme/claude-sonnet-4.5');
  const body: Body = await answer.json();
  assert.deepEqual(
    [answer.status, body.content, body.usage?.output_tokens],
    [200, [], 0],
    JSON.stringify(body),
  );
  const before = upstream.requests.length;
  for (const model of [
    'acme/chat',
    'openai/gpt-5.2',
    'google/gemini-3-pro',
    'ollama/qwen3',
    'sandbox/echo',
  ]) {
    const { status } = await ask(model);
    assert.equal(status, 400, model);
  }
  assert.equal(upstream.requests.length, before);
});

describe('names of tools that a provider does not take', () => {
  const digits = '21st-magic_component_builder';
  const long = `${'n'.repeat(99)}.x`;
  const functions = (...names: string[]) =>
    names.map((name) => ({ type: 'function', function: { name, parameters } }));
  const asked = (name: string) => ({
    messages: [
      { role: 'user', content: 'q' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ],
    tools: functions(name, 'plain'),
    tool_choice: { type: 'function', function: { name } },
  });

  test('are replaced everywhere for Gemini, and its calls come back with the client’s', async (t) => {
    const body = await sent('chat/completions', 'google/gemini-3-pro', asked(digits));
    const name = `_${digits}`;
    assert.deepEqual(
      body.tools[0].functionDeclarations.map((one: Body) => one.name),
      [name, 'plain'],
    );
    assert.equal(body.contents[1].parts[0].functionCall.name, name);
    assert.deepEqual(body.toolConfig.functionCallingConfig.allowedFunctionNames, [name]);
    upstream.play(
      json({
        candidates: [
          { content: { role: 'model', parts: [{ functionCall: { name, args: {} } }] }, finishReason: 'STOP' },
        ],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
      }),
    );
    t.after(() => upstream.play(refused));
    const answer = await fetch(`${gateway.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
      body: JSON.stringify({ model: 'google/gemini-3-pro', ...asked(digits) }),
    });
    const { choices }: Body = await answer.json();
    assert.equal(choices[0].message.tool_calls[0].function.name, digits);
  });

  test('stay as they are where they are taken', async () => {
    for (const model of ['acme/chat', 'acme/claude-sonnet-4.5', 'acme/responses']) {
      assert.ok(
        JSON.stringify(await sent('chat/completions', model, asked(digits))).includes(`"${digits}"`),
        model,
      );
    }
  });

  test('too long or with other letters fit every provider, and differ where they did', async () => {
    const messages = [{ role: 'user', content: 'q' }];
    const tools = [long, `${long}y`].map((name) => ({
      name: name.replace('.', '-'),
      input_schema: parameters,
    }));
    for (const model of [
      'acme/chat',
      'acme/responses',
      'openai/gpt-5.2',
      'google/gemini-3-pro',
      'ollama/qwen3',
    ]) {
      const body = await sent('messages', model, { max_tokens: 100, messages, tools });
      const names = new Set(JSON.stringify(body).match(/(?<="name":")n+[^"]*/g));
      assert.equal(names.size, 2, model);
      for (const name of names) assert.match(name, /^n[\w-]{0,63}$/);
    }
  });
});

describe('schemas that a provider does not take whole', () => {
  const messages = [{ role: 'user', content: 'q' }];
  const formatted = (schema: object, strict?: boolean) => ({
    messages,
    response_format: { type: 'json_schema', json_schema: { name: 'r', schema, strict } },
  });
  const open = {
    type: 'object',
    properties: { scores: { type: 'object', additionalProperties: { type: 'number' } } },
  };
  const free = { type: 'object', properties: { meta: { type: 'object' } } };
  const node = { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/$defs/N' } } } };
  const tree = { type: 'object', properties: { n: { $ref: '#/$defs/N' } }, $defs: { N: node } };
  const claude = 'acme/claude-sonnet-4.5';

  for (const [name, schema] of Object.entries({ 'a map': open, 'a free object': free, 'a tree': tree })) {
    test(`${name} is told to Claude in words, as it is, and refused to a strict request`, async () => {
      const body = await sent('chat/completions', claude, formatted(schema));
      assert.ok(!('output_config' in body));
      assert.ok(body.system[0].text.includes(JSON.stringify(schema)));
      const refusal = await fetch(`${gateway.url}/api/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${gateway.key}`,
          'x-service-strict': 'true',
        },
        body: JSON.stringify({ model: claude, ...formatted(schema) }),
      });
      assert.ok(refusal.status >= 400 && refusal.status < 500);
      assert.match(await refusal.text(), /would be emulated/);
    });

    test(`${name} stays as it is elsewhere`, async () => {
      const responses = await sent('chat/completions', 'acme/responses', formatted(schema));
      assert.deepEqual(responses.text.format.schema, schema);
      const gemini = await sent('chat/completions', 'google/gemini-3-pro', formatted(schema));
      assert.deepEqual(gemini.generationConfig.responseJsonSchema, schema);
    });
  }

  test('closed objects with definitions are enforced by Claude', async () => {
    const leaf = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    };
    const schema = {
      type: 'object',
      properties: { l: { $ref: '#/$defs/L' }, m: { $ref: '#/$defs/L' } },
      $defs: { L: leaf },
    };
    const body = await sent('chat/completions', claude, formatted(schema));
    assert.equal(body.output_config.format.type, 'json_schema');
  });

  test('patterns that look around are told in the description', async () => {
    const email = { type: 'string', description: 'An address.', pattern: '^(?!\\.)[a-z]+$' };
    const kept = { type: 'string', pattern: '^[a-z]+$' };
    const schema = {
      type: 'object',
      properties: { email, pattern: kept },
      required: ['email', 'pattern'],
      additionalProperties: false,
    };
    const found = [
      (await sent('chat/completions', claude, formatted(schema))).output_config.format.schema,
      (await sent('chat/completions', 'openai/gpt-5.2', formatted(schema, true))).text.format.schema,
      (await sent('chat/completions', 'acme/chat', formatted(schema, true))).response_format.json_schema
        .schema,
    ];
    for (const { properties } of found) {
      assert.deepEqual(properties.email, {
        type: 'string',
        description: 'An address.\n\n{pattern: "^(?!\\\\.)[a-z]+$"}',
      });
      assert.deepEqual(properties.pattern, kept);
    }
  });

  test('of strict functions Claude gets as many as it takes, the others are not strict', async () => {
    const closed = (properties: object, required: readonly string[]) => ({
      type: 'object',
      properties,
      required,
      additionalProperties: false,
    });
    const strict = (name: string, schema: object) => ({
      type: 'function',
      function: { name, strict: true, parameters: schema },
    });
    const union = { anyOf: [{ type: 'string' }, { type: 'null' }] };
    const one = closed({ a: { type: 'string' } }, ['a']);
    const strictOf = async (tools: readonly object[]): Promise<readonly boolean[]> => {
      const body = await sent('chat/completions', 'acme/claude-opus-4.5', { messages, tools });
      return body.tools.map((tool: Body) => tool.strict === true);
    };
    const count = (flags: readonly boolean[]) => flags.filter(Boolean).length;
    assert.equal(count(await strictOf(Array.from({ length: 25 }, (_, at) => strict(`f${at}`, one)))), 20);
    const optional = closed({ a: { type: 'string' }, b: { type: 'string' } }, []);
    assert.equal(
      count(await strictOf(Array.from({ length: 15 }, (_, at) => strict(`f${at}`, optional)))),
      12,
    );
    const unions = closed({ a: union, b: union }, ['a', 'b']);
    assert.equal(count(await strictOf(Array.from({ length: 15 }, (_, at) => strict(`f${at}`, unions)))), 8);
    assert.deepEqual(await strictOf([strict('map', open), strict('one', one)]), [false, true]);
  });
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
    const body = await sent('messages', claude, five);
    assert.equal(marksIn(body).length, 4);
    assert.equal(marksIn(body.tools).length, 0);
    assert.equal(pointsIn(await sent('messages', bedrock, five)).length, 4);
    const { system: _system, ...fewer } = five;
    assert.equal(marksIn((await sent('messages', claude, fewer)).tools).length, 1);
    const { toolConfig } = await sent('messages', bedrock, fewer);
    assert.deepEqual(Object.keys(toolConfig.tools[1]), ['cachePoint']);
  });

  test('on a tool live as long as those after it, without changing another request', async () => {
    const longer = {
      max_tokens: 100,
      tools: [{ ...tool, ...mark() }],
      messages: [{ role: 'user', content: [text('a', '1h')] }],
    };
    const body = await sent('messages', claude, longer);
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
    const { messages } = await sent('messages', claude, request);
    assert.deepEqual(messages[1].content[0].cache_control, { type: 'ephemeral', ttl: '5m' });
    const body = await sent('messages', bedrock, request);
    assert.deepEqual(Object.keys(body.messages[1].content[1]), ['cachePoint']);
  });

  test('do not reach a model that does not cache', async () => {
    const body = await sent('messages', 'bedrock/claude-3-haiku', five);
    assert.deepEqual(pointsIn(body), []);
  });

  test('are refused to a strict request where they would be lost', async () => {
    for (const model of ['acme/chat']) {
      const answer = await fetch(`${gateway.url}/api/v1/messages`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${gateway.key}`,
          'x-service-strict': 'true',
        },
        body: JSON.stringify({
          model,
          max_tokens: 100,
          tools: [{ ...tool, ...mark() }],
          messages: [{ role: 'user', content: 'q' }],
        }),
      });
      assert.ok(answer.status >= 400 && answer.status < 500, model);
      assert.match(await answer.text(), /tools\[0\]\.cache_control/);
    }
  });
});
