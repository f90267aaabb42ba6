import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type AskedProviders, askProviders, type Body, json, parameters } from './support/asked-providers.ts';

/* What users of gateways reported that providers refuse or get wrong: names, strictness and schemas. */

let providers: AskedProviders;

before(async () => {
  providers = await askProviders();
});

after(() => providers.close());

describe('functions without `strict`', () => {
  const chat = { messages: [{ role: 'user', content: 'q' }] };
  const messages = { max_tokens: 100, ...chat };
  for (const model of ['openai/gpt-5.2', 'acme/responses']) {
    test(`are not strict at ${model} when they come by a dialect where that is the default`, async () => {
      const nested = { type: 'function', function: { name: 'w', parameters } };
      const bodies = [
        await providers.sent('chat/completions', model, { ...chat, tools: [nested] }),
        await providers.sent('messages', model, {
          ...messages,
          tools: [{ name: 'w', input_schema: parameters }],
        }),
      ];
      for (const { tools } of bodies) assert.equal(tools[0].strict, false);
    });

    test(`stay as they are at ${model} when they come by its own dialect`, async () => {
      const tool = { type: 'function', name: 'w', parameters };
      const unset = await providers.sent('responses', model, {
        input: 'q',
        tools: [tool, { ...tool, name: 'n', strict: null }],
      });
      for (const one of unset.tools) assert.ok(!('strict' in one));
      const set = await providers.sent('responses', model, {
        input: 'q',
        tools: [{ ...tool, strict: true }],
      });
      assert.equal(set.tools[0].strict, true);
    });
  }

  test('are sent to providers of chat completions without it', async () => {
    const tool = { type: 'function', name: 'w', parameters };
    for (const strict of [undefined, null, false]) {
      const body = await providers.sent('responses', 'acme/chat', {
        input: 'q',
        tools: [{ ...tool, strict }],
      });
      assert.ok(!('strict' in body.tools[0].function));
    }
  });
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
    const body = await providers.sent('chat/completions', 'google/gemini-3-pro', asked(digits));
    const name = `_${digits}`;
    assert.deepEqual(
      body.tools[0].functionDeclarations.map((one: Body) => one.name),
      [name, 'plain'],
    );
    assert.equal(body.contents[1].parts[0].functionCall.name, name);
    assert.deepEqual(body.toolConfig.functionCallingConfig.allowedFunctionNames, [name]);
    providers.play(
      json({
        candidates: [
          { content: { role: 'model', parts: [{ functionCall: { name, args: {} } }] }, finishReason: 'STOP' },
        ],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
      }),
    );
    t.after(() => providers.refuse());
    const answer = await providers.ask('chat/completions', 'google/gemini-3-pro', asked(digits));
    const { choices }: Body = await answer.json();
    assert.equal(choices[0].message.tool_calls[0].function.name, digits);
  });

  test('stay as they are where they are taken', async () => {
    for (const model of ['acme/chat', 'acme/claude-sonnet-4.5', 'acme/responses']) {
      assert.ok(
        JSON.stringify(await providers.sent('chat/completions', model, asked(digits))).includes(
          `"${digits}"`,
        ),
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
      const body = await providers.sent('messages', model, { max_tokens: 100, messages, tools });
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
      const body = await providers.sent('chat/completions', claude, formatted(schema));
      assert.ok(!('output_config' in body));
      assert.ok(body.system[0].text.includes(JSON.stringify(schema)));
      const refusal = await providers.ask('chat/completions', claude, formatted(schema), {
        'x-service-strict': 'true',
      });
      assert.ok(refusal.status >= 400 && refusal.status < 500);
      assert.match(await refusal.text(), /would be emulated/);
    });

    test(`${name} stays as it is elsewhere`, async () => {
      const responses = await providers.sent('chat/completions', 'acme/responses', formatted(schema));
      assert.deepEqual(responses.text.format.schema, schema);
      const gemini = await providers.sent('chat/completions', 'google/gemini-3-pro', formatted(schema));
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
    const body = await providers.sent('chat/completions', claude, formatted(schema));
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
      (await providers.sent('chat/completions', claude, formatted(schema))).output_config.format.schema,
      (await providers.sent('chat/completions', 'openai/gpt-5.2', formatted(schema, true))).text.format
        .schema,
      (await providers.sent('chat/completions', 'acme/chat', formatted(schema, true))).response_format
        .json_schema.schema,
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
      const body = await providers.sent('chat/completions', 'acme/claude-opus-4.5', { messages, tools });
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

describe('functions for whose outputs the model need not wait', () => {
  const request = {
    input: [
      { role: 'user', content: 'q' },
      { type: 'function_call', call_id: 'c1', name: 'w', arguments: '{}' },
      { role: 'assistant', content: 'Meanwhile …' },
      { role: 'user', content: 'And?' },
    ],
    tools: [
      { type: 'function', name: 'w', parameters, async: true },
      { type: 'custom', name: 'v', async: true },
    ],
  };

  test('are told to models that know them, and the missing output stays missing', async () => {
    const { tools, input } = await providers.sent('responses', 'openai/gpt-6-sol', request);
    assert.deepEqual(
      tools.map((tool: Body) => tool.async),
      [true, true],
    );
    assert.equal(input[1].async, true);
    assert.deepEqual(
      input.map((item: Body) => item.type),
      ['message', 'function_call', 'message', 'message'],
    );
  });

  test('are plain functions elsewhere, whose missing output is told', async () => {
    for (const model of ['openai/gpt-5.2', 'acme/responses']) {
      const { tools, input } = await providers.sent('responses', model, request);
      for (const tool of tools) assert.ok(!('async' in tool));
      assert.ok(!('async' in input[1]));
      assert.equal(input[2].type, 'function_call_output');
    }
  });
});

test('alternatives at the root of parameters become one object at Claude, Bedrock and OpenAI', async () => {
  const either = {
    anyOf: [
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
    ],
  };
  const request = {
    messages: [{ role: 'user', content: 'q' }],
    tools: [{ type: 'function', function: { name: 'w', parameters: either } }],
  };
  const sent = (model: string) => providers.sent('chat/completions', model, request);
  const one = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } };
  assert.deepEqual((await sent('acme/claude-sonnet-4.5')).tools[0].input_schema, one);
  const { toolConfig } = await sent('bedrock/claude-sonnet-4.5');
  assert.deepEqual(toolConfig.tools[0].toolSpec.inputSchema.json, one);
  assert.deepEqual((await sent('openai/gpt-5.2')).tools[0].parameters, one);
  assert.deepEqual((await sent('acme/chat')).tools[0].function.parameters, either);
  const refused = await providers.ask('chat/completions', 'openai/gpt-5.2', request, {
    'x-service-strict': 'true',
  });
  assert.match(await refused.text(), /tools\[0\]\.parameters would be adapted/);
});

describe('references in schemas', () => {
  const schema = {
    type: 'object',
    properties: {
      home: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      },
      work: { $ref: '#/properties/home', description: 'Where they work' },
    },
    required: ['home', 'work'],
    additionalProperties: false,
  };
  const plain = {
    home: { $ref: '#/$defs/properties_home' },
    work: { description: 'Where they work', anyOf: [{ $ref: '#/$defs/properties_home' }] },
  };
  const tools = [{ type: 'function', name: 'save', parameters: schema, strict: true }];
  const format = { type: 'json_schema', name: 'saved', schema, strict: true };

  test('lead to definitions and stand alone where a decoder enforces them', async () => {
    const ask = { input: 'q', tools, text: { format } };
    const responses = await providers.sent('responses', 'openai/gpt-5.2', ask);
    assert.deepEqual(responses.tools[0].parameters.properties, plain);
    assert.deepEqual(responses.text.format.schema.properties, plain);
    assert.deepEqual(responses.text.format.schema.$defs.properties_home, schema.properties.home);
    const chat = await providers.sent('responses', 'acme/chat', ask);
    assert.deepEqual(chat.tools[0].function.parameters.properties, plain);
    assert.deepEqual(chat.response_format.json_schema.schema.properties, plain);
  });

  test('do so at Gemini, strict or not', async () => {
    const [tool] = tools;
    const sent = await providers.sent('responses', 'google/gemini-3-pro', {
      input: 'q',
      tools: [{ ...tool, strict: false }],
    });
    assert.deepEqual(sent.tools[0].functionDeclarations[0].parametersJsonSchema.properties, plain);
    const told = await providers.sent('responses', 'google/gemini-3-pro', { input: 'q', text: { format } });
    assert.deepEqual(told.generationConfig.responseJsonSchema.properties, plain);
  });

  test('stay as they are in functions that nobody enforces', async () => {
    const [tool] = tools;
    const ask = { input: 'q', tools: [{ ...tool, strict: false }] };
    const sent = await providers.sent('responses', 'openai/gpt-5.2', ask);
    assert.deepEqual(sent.tools[0].parameters, schema);
  });
});
