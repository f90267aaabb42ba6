import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type AskedProviders, askProviders, type Body, json, parameters } from './support/asked-providers.ts';

/* What users of gateways reported that providers refuse or get wrong: ids, broken streams, thoughts and empty answers. */

let providers: AskedProviders;

before(async () => {
  providers = await askProviders();
});

after(() => providers.close());

describe('thoughts that the client wants to see', () => {
  const q = [{ role: 'user', content: 'q' }];
  const thinking = { type: 'enabled', budget_tokens: 4000 };
  const model = 'openai/gpt-5.2';
  test('are asked of OpenAI as a summary', async () => {
    const asked = [
      await providers.sent('messages', model, { max_tokens: 8000, messages: q, thinking }),
      await providers.sent('messages', model, {
        max_tokens: 8000,
        messages: q,
        thinking: { ...thinking, display: 'summarized' },
      }),
      await providers.sent('messages', model, {
        max_tokens: 8000,
        messages: q,
        thinking: { type: 'adaptive' },
      }),
      await providers.sent('chat/completions', model, {
        messages: q,
        reasoning_effort: 'low',
        include_reasoning: true,
      }),
      await providers.sent('chat/completions', model, {
        messages: q,
        reasoning: { effort: 'low', exclude: false },
      }),
    ];
    for (const { reasoning } of asked) assert.equal(reasoning.summary, 'auto');
  });

  test('are not asked for where they are to be left out, or where nobody said so', async () => {
    const unasked = [
      await providers.sent('messages', model, {
        max_tokens: 8000,
        messages: q,
        thinking: { ...thinking, display: 'omitted' },
      }),
      await providers.sent('chat/completions', model, { messages: q, reasoning_effort: 'low' }),
      await providers.sent('chat/completions', model, {
        messages: q,
        reasoning_effort: 'low',
        include_reasoning: false,
      }),
    ];
    for (const { reasoning } of unasked) assert.ok(!('summary' in reasoning));
  });
});

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
      providers.play(json(answer));
      t.after(() => providers.refuse());
      const ask = async (door: string, body: object): Promise<Body> => {
        const got = await providers.ask(door, model, body);
        return got.json();
      };
      const messages = [{ role: 'user', content: 'q' }];
      const responses = await ask('responses', {
        input: 'q',
        tools: [{ type: 'function', name: 'w', parameters }],
      });
      const chat = await ask('chat/completions', {
        messages,
        tools: [{ type: 'function', function: { name: 'w', parameters } }],
      });
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

describe('a stream that ends without a reason', () => {
  const chunk = (delta: object) => `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta }] })}\n\n`;
  const fragment = (text: string) =>
    chunk({
      tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'w', arguments: text } }],
    });
  const ask = (text: string) => {
    providers.play({ steps: [fragment(text), 'data: [DONE]\n\n'] });
    return providers.gateway.post({
      model: 'acme/chat',
      input: 'q',
      tools: [{ type: 'function', name: 'w', parameters }],
    });
  };
  test('in the middle of the arguments of a call has failed', async (t) => {
    t.after(() => providers.refuse());
    const answer: Body = await (await ask('{"city":"Bre')).json();
    assert.equal(answer.status, 'failed', JSON.stringify(answer));
    assert.match(answer.error.message, /before the answer was complete/);
  });

  test('after whole arguments has made the call', async (t) => {
    t.after(() => providers.refuse());
    const answer: Body = await (await ask('{"city":"Brest"}')).json();
    assert.equal(answer.output[0].arguments, '{"city":"Brest"}');
  });
});

test('`max_tokens: 0` of Messages goes to Claude as it is, and is 400 where no cache could be warmed', async (t) => {
  const request = { max_tokens: 0, messages: [{ role: 'user', content: 'A long prompt.' }] };
  const { max_tokens } = await providers.sent('messages', 'acme/claude-sonnet-4.5', request);
  assert.equal(max_tokens, 0);
  const warmed = { id: 'a', type: 'message', role: 'assistant', content: [], stop_reason: 'max_tokens' };
  providers.play(
    json({ ...warmed, usage: { input_tokens: 1, cache_creation_input_tokens: 9, output_tokens: 0 } }),
  );
  t.after(() => providers.refuse());
  const ask = (model: string) => providers.ask('messages', model, request);
  const answer = await ask('acme/claude-sonnet-4.5');
  const body: Body = await answer.json();
  assert.deepEqual(
    [answer.status, body.content, body.usage?.output_tokens],
    [200, [], 0],
    JSON.stringify(body),
  );
  const before = providers.count;
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
  assert.equal(providers.count, before);
});

describe('signatures of calls at a compatible endpoint of Gemini', () => {
  const calls = ['a', 'b'].map((id, index) => ({
    index,
    id,
    type: 'function',
    function: { name: 'w', arguments: '{}' },
    ...(index === 0 && { extra_content: { google: { thought_signature: 'SIGA' } } }),
  }));
  const whole = json({
    id: 'x',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, tool_calls: calls },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 9, completion_tokens: 5 },
  });
  const stream = {
    steps: [
      ...calls.map(
        (call) =>
          `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { tool_calls: [call] } }] })}\n\n`,
      ),
      `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })}\n\n`,
      'data: [DONE]\n\n',
    ],
  };
  const tools = [{ type: 'function', function: { name: 'w', parameters } }];
  const user = { role: 'user', content: 'q' };
  const outputs = ['a', 'b'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'rain' }));
  const signaturesIn = (messages: Body) =>
    messages[1].tool_calls.map((call: Body) => call.extra_content?.google?.thought_signature);

  for (const [form, script] of [
    ['whole', whole],
    ['streamed', stream],
  ] as const) {
    test(`reach a client of chat completions, ${form}, and go back with the call they came with`, async () => {
      providers.play(script);
      const ask = { messages: [user], tools, stream: form === 'streamed' };
      const text = await (await providers.ask('chat/completions', 'acme/gemini-3-pro', ask)).text();
      providers.refuse();
      assert.equal(text.split('"thought_signature":"SIGA"').length, 2, text);
      const replayed = { role: 'assistant', content: null, tool_calls: calls };
      const { messages } = await providers.sent('chat/completions', 'acme/gemini-3-pro', {
        messages: [user, replayed, ...outputs],
        tools,
      });
      assert.deepEqual(signaturesIn(messages), ['SIGA', undefined]);
    });
  }

  test('go round by Responses and Messages too', async () => {
    providers.play(whole);
    const flat = [{ type: 'function', name: 'w', parameters }];
    const asked = { input: [user], tools: flat, include: ['reasoning.encrypted_content'] };
    const { output }: Body = await (await providers.ask('responses', 'acme/gemini-3-pro', asked)).json();
    const claude = [{ name: 'w', input_schema: parameters }];
    const spoken: Body = await (
      await providers.ask('messages', 'acme/gemini-3-pro', {
        max_tokens: 99,
        messages: [user],
        tools: claude,
      })
    ).json();
    providers.refuse();
    const done = output
      .filter(({ type }: Body) => type === 'function_call')
      .map(({ call_id }: Body) => ({ type: 'function_call_output', call_id, output: 'rain' }));
    const first = await providers.sent('responses', 'acme/gemini-3-pro', {
      input: [user, ...output, ...done],
      tools: flat,
    });
    assert.deepEqual(signaturesIn(first.messages), ['SIGA', undefined]);
    const results = spoken.content
      .filter(({ type }: Body) => type === 'tool_use')
      .map(({ id }: Body) => ({ type: 'tool_result', tool_use_id: id, content: 'rain' }));
    const second = await providers.sent('messages', 'acme/gemini-3-pro', {
      max_tokens: 99,
      messages: [user, { role: 'assistant', content: spoken.content }, { role: 'user', content: results }],
      tools: claude,
    });
    assert.deepEqual(signaturesIn(second.messages), ['SIGA', undefined]);
  });

  test('do not reach a provider that signs nothing', async () => {
    const { messages } = await providers.sent('chat/completions', 'acme/chat', {
      messages: [user, { role: 'assistant', content: null, tool_calls: calls }, ...outputs],
      tools,
    });
    assert.deepEqual(signaturesIn(messages), [undefined, undefined]);
  });
});
