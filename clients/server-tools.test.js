import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import { tool as aiTool, stepCountIs, streamText } from 'ai';
import OpenAI from 'openai';
import { z } from 'zod';
import { startGateway } from '../test/e2e/support/gateway-process.ts';

setTracingDisabled(true);

let calls = 0;

/**
 * A model that calls the gateway's clock and the client's function in one turn, then tells what it got. Libraries may leave
 * out items of kinds they do not know when they replay them, so only the client's own results count.
 */
function answerOf({ messages }) {
  const results = messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => JSON.stringify(content));
  const asked = messages.filter(({ role }) => role === 'user').length;
  if (results.filter((result) => result.includes('clear')).length >= asked) {
    return { role: 'assistant', content: `Results: ${results.join(' | ')}` };
  }
  calls += 1;
  const call = (id, name, input) => ({
    id: `${id}_${calls}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  });
  const tool_calls = [call('clock', 'service_datetime', {}), call('weather', 'weather', { city: 'Brest' })];
  return { role: 'assistant', content: null, tool_calls };
}

const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };
let provider;
let gateway;
let requests = 0;

before(async () => {
  provider = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = JSON.parse(Buffer.concat(pieces).toString());
    requests += 1;
    const message = answerOf(body);
    const finish_reason = message.tool_calls ? 'tool_calls' : 'stop';
    const head = { id: 'chatcmpl-1', created: 1, model: 'm' };
    if (!body.stream) {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          ...head,
          object: 'chat.completion',
          usage,
          choices: [{ index: 0, message, finish_reason }],
        }),
      );
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    const delta = { ...message, tool_calls: message.tool_calls?.map((one, index) => ({ index, ...one })) };
    const events = [
      { choices: [{ index: 0, delta, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason }] },
      { choices: [], usage },
    ];
    for (const event of events) {
      response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...event })}\n\n`);
    }
    response.end('data: [DONE]\n\n');
  });
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const { port } = provider.address();
  gateway = await startGateway({
    config: `
providers:
  scripted: { adapter: openai-chat, base_url: http://127.0.0.1:${port}/v1, api_key: k }
models:
  - id: acme/clock
    endpoints: [{ provider: scripted, model: m, context_length: 100000, price: { input: 1, output: 1 } }]
`,
  });
});
after(async () => {
  await gateway?.[Symbol.asyncDispose]();
  provider.close();
});

const weather = {
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `${city}: clear`,
};

/** Adds the gateway's tool to every request, as a client does whose library has no word for it. */
const withClock = (url, init) => {
  const body = JSON.parse(init.body);
  return fetch(url, {
    ...init,
    body: JSON.stringify({ ...body, tools: [...(body.tools ?? []), { type: 'service:datetime' }] }),
  });
};

test('an agent of the OpenAI Agents SDK mixes server tools and its own, over turns with replay', async () => {
  const client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, fetch: withClock });
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ openAIClient: client, useResponses: true }),
  });
  const tools = [tool({ name: 'weather', ...weather })];
  const agent = new Agent({ name: 'Clock', model: 'acme/clock', tools, modelSettings: { store: false } });
  const before = requests;
  const first = await runner.run(agent, 'When, and how?');
  assert.match(first.finalOutput, /Results: .*Brest: clear/);
  assert.equal(requests - before, 2, 'two turns of the model');
  const second = await runner.run(agent, [...first.history, { role: 'user', content: 'And now?' }]);
  assert.match(second.finalOutput, /Results: .*clear.*clear/);
  assert.equal(requests - before, 4);
});

test('the AI SDK streams an agent with server tools and its own', async () => {
  const openai = createOpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, fetch: withClock });
  const { parameters: inputSchema, ...rest } = weather;
  const before = requests;
  const result = streamText({
    model: openai.chat('acme/clock'),
    tools: { weather: aiTool({ ...rest, inputSchema }) },
    prompt: 'When, and how?',
    stopWhen: stepCountIs(4),
  });
  const text = await result.text;
  assert.match(text, /Brest: clear/);
  assert.equal(requests - before, 2);
});
