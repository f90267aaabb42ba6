import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type OpenAI from 'openai';
import type { FunctionTool, ResponseInput } from 'openai/resources/responses/responses';
import { readBooks } from './support/books.ts';
import type { ExchangeRecorder } from './support/exchange-recorder.ts';
import { type GatewayProcess, newDirectory, startGateway } from './support/gateway-process.ts';
import { asInput, createClient } from './support/openai-client.ts';
import { runProgram, userEnvironment } from './support/programs.ts';
import { pythonCommand, runPython } from './support/python.ts';
import { type RealModel, startRealModel } from './support/real-model.ts';
import { startRecordingProxy } from './support/recording-proxy.ts';

const adapters = ['openai-chat', 'anthropic-messages', 'openai-responses'];
const unicodeText = 'Ünïcödé 日本語 🚀 한국어 naïve 👩‍🚀 Ελλάδα';

let model: RealModel;
let gateway: GatewayProcess;
let client: OpenAI;
let recorder: ExchangeRecorder;

before(async () => {
  model = await startRealModel();
  const lines = (row: (adapter: string) => string) => adapters.map(row).join('\n');
  gateway = await startGateway({
    config: `providers:
${lines((adapter) => `  via-${adapter}: { adapter: ${adapter}, base_url: ${model.url}/v1 }`)}
models:
${lines((adapter) => `  - { id: real/${adapter}, endpoints: [{ provider: via-${adapter}, model: gemma-3-270m, price: { input: 1, output: 2 } }] }`)}
`,
  });
  ({ client, recorder } = createClient(gateway));
});
after(async () => {
  // First, as it is there even where the gateway did not start.
  await model[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
});

const weather: FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: 'Get the weather for a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
    required: ['city', 'unit'],
    additionalProperties: false,
  },
  strict: true,
};

interface Said {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

interface Asking {
  readonly input: ResponseInput;
  readonly tools?: FunctionTool[];
  readonly tool_choice?: 'required';
  readonly max_output_tokens?: number;
}

for (const adapter of adapters) {
  for (const streamed of [true, false]) {
    const how = `${adapter}, ${streamed ? 'streamed' : 'whole'}`;
    const ask = (asking: Asking) => {
      const request = { model: `real/${adapter}`, temperature: 0, max_output_tokens: 48, ...asking };
      return streamed ? client.responses.stream(request).finalResponse() : client.responses.create(request);
    };

    test(`${how}: a conversation goes on with the model's own items`, async () => {
      const input: ResponseInput = [{ role: 'user', content: 'What is the capital of France?' }];
      for (const next of ['And the capital of Italy?', 'And of Spain?']) {
        const answer = await ask({ input });
        assert.equal(answer.model, `real/${adapter}`);
        assert.notEqual(answer.output_text.trim(), '');
        assert.ok((answer.usage?.input_tokens ?? 0) > 5 && (answer.usage?.output_tokens ?? 0) > 0);
        input.push(...asInput(answer), { role: 'user', content: next });
      }
      assertRecorded(2);
    });

    test(`${how}: text of every script passes through whole`, async () => {
      const said: Said[] = [
        { role: 'user', content: 'Write it.' },
        { role: 'assistant', content: unicodeText },
      ];
      const input: Said[] = [...said, ...said, { role: 'user', content: 'Write it.' }];
      const answer = await ask({ input });
      assertRecorded(1);
      // How much of it the model repeats depends on the processor it runs on.
      assert.match(answer.output_text, /Ünïcödé 日本語 🚀/);
      assert.equal(answer.output_text.trim(), await answeredDirectly(input));
    });

    test(`${how}: a forced tool call, and an answer from its result`, async () => {
      const input: ResponseInput = [{ role: 'user', content: 'Weather in Paris?' }];
      const turn = await ask({ input, tools: [weather], tool_choice: 'required' });
      const call = turn.output.at(-1);
      assert.ok(call?.type === 'function_call');
      assert.equal(call.name, 'get_weather');
      const given: unknown = JSON.parse(call.arguments);
      assert.deepEqual(Object.keys(given as object).sort(), ['city', 'unit']);
      const result = {
        type: 'function_call_output',
        call_id: call.call_id,
        output: '12 degrees, rain',
      } as const;
      const told = await ask({ input: [...input, ...asInput(turn), result], tools: [weather] });
      assert.notEqual(told.output.length, 0);
      assertRecorded(2);
    });

    test(`${how}: the output limit ends the answer as incomplete`, async () => {
      const input: ResponseInput = [{ role: 'user', content: 'Tell me about cats.' }];
      const answer = await ask({ input, max_output_tokens: 4 });
      assert.equal(answer.usage?.output_tokens, 4);
      assert.equal(answer.status, tellsTheLimit(adapter) ? 'incomplete' : 'completed');
      const reason = tellsTheLimit(adapter) ? 'max_output_tokens' : undefined;
      assert.equal(answer.incomplete_details?.reason, reason);
      assertRecorded(1);
    });
  }

  test(`${adapter}: the Python client holds the same conversations`, async () => {
    await using proxy = await startRecordingProxy(gateway.url);
    const { code, stdout, stderr } = await runPython('test/e2e/python/talk.py', {
      HEADGATE_BASE_URL: `${proxy.url}/api/v1`,
      HEADGATE_API_KEY: gateway.key,
      MODEL: `real/${adapter}`,
    });
    assert.equal(code, 0, stderr);
    assert.deepEqual(stdout.trim().split('\n'), [
      'same text: True',
      'same text: True',
      'called: get_weather',
      'told: True',
      `cut: ${tellsTheLimit(adapter) ? 'incomplete max_output_tokens' : 'completed None'} 4`,
    ]);
    assert.equal(proxy.recorder.check().length, 5);
  });
}

test('structured output is held to its schema by the server, in the chat dialect', async () => {
  const { code, stdout, stderr } = await runPython('examples/python/conversation.py', {
    HEADGATE_URL: gateway.baseUrl,
    HEADGATE_API_KEY: gateway.key,
    MODEL: 'real/openai-chat',
  });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^person: name='.*' age=\d+$/m);
});

test('the example configuration serves this model', async () => {
  const example = readFileSync(join(import.meta.dirname, '../../examples/headgate.yaml'), 'utf8');
  await using served = await startGateway({ config: example.replace('http://127.0.0.1:9180', model.url) });
  const response = await served.post({ model: 'local/gemma-3-270m', input: 'Hello', max_output_tokens: 8 });
  assert.equal(response.status, 200, await response.text());
});

test('every call is in the books with the tokens the model counted', async () => {
  const booked = await readBooks(gateway.directory);
  assert.ok(booked.length > 40);
  for (const call of booked) {
    assert.ok(call.output > 0 && call.cost > 0, JSON.stringify(call));
    assert.equal(call.errorType, undefined);
  }
});

/** What the model answers when nobody stands in between. */
async function answeredDirectly(messages: readonly Said[]): Promise<string> {
  const response = await fetch(`${model.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages, temperature: 0, max_tokens: 48 }),
  });
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content.trim() ?? '';
}

/** In its responses dialect this server calls an answer it cut off completed: nothing tells it from a whole one. */
function tellsTheLimit(adapter: string): boolean {
  return adapter !== 'openai-responses';
}

/** Every answer since the last look was complete and obeys grammar and contract. */
function assertRecorded(count: number): void {
  assert.equal(recorder.check().length, count);
}

test('pydantic-ai: an agent calls its tool and answers', async () => {
  const { code, stdout, stderr } = await runPython('test/e2e/python/pydantic_tool.py', {
    HEADGATE_BASE_URL: gateway.baseUrl,
    HEADGATE_API_KEY: gateway.key,
    MODEL: 'real/openai-chat',
  });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /called for: Paris/);
  assert.match(stdout, /answered: True True/);
});

test('llm: a tool on the command line is called and answered', async () => {
  const folder = newDirectory();
  const row = { model_id: 'real', model_name: 'real/openai-chat', api_base: gateway.baseUrl };
  const models = [{ ...row, api_key_name: 'headgate', supports_tools: true }];
  writeFileSync(join(folder, 'extra-openai-models.yaml'), JSON.stringify(models));
  writeFileSync(join(folder, 'keys.json'), JSON.stringify({ headgate: gateway.key }));
  const tool =
    'def get_weather(city: str) -> str:\n    "Get the weather for a city"\n    return "12 degrees"';
  const asked = ['-m', 'real', '-o', 'temperature', '0', '-o', 'max_tokens', '40', '-o', 'seed', '7'];
  const { code, stdout, stderr } = await runProgram(
    pythonCommand('llm'),
    [...asked, '--td', '--functions', tool, 'Weather in Paris?'],
    { env: userEnvironment({ LLM_USER_PATH: folder }) },
  );
  await rm(folder, { recursive: true });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /get_weather\(\{.*Paris/);
  assert.ok(stdout.trim().length > 0);
});
