import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import { z } from 'zod';
import { collect, useGateway } from './support/gateway.js';

const gateway = useGateway();
setTracingDisabled(true);
const runner = () => new Runner({ modelProvider: new OpenAIProvider({ ...gateway, useResponses: true }) });
const modelSettings = { store: false };
const weather = tool({
  name: 'weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `${city}: clear`,
});

test('an agent answers', async () => {
  const agent = new Agent({ name: 'Echo', model: 'sandbox/echo', modelSettings });
  const result = await runner().run(agent, 'one two');
  assert.equal(result.finalOutput, '[sandbox] one two');
});

test('an agent calls its tool and goes on with the result, whole and streamed', async () => {
  const agent = new Agent({ name: 'Weather', model: 'sandbox/tools', tools: [weather], modelSettings });
  const whole = await runner().run(agent, 'The weather in Brest?');
  assert.match(whole.finalOutput, /The tool answered: .*clear/);
  const streamed = await runner().run(agent, 'The weather in Brest?', { stream: true });
  const events = await collect(streamed);
  await streamed.completed;
  assert.equal(streamed.finalOutput, whole.finalOutput);
  assert.ok(events.some((event) => event.type === 'raw_model_stream_event'));
});

test('an agent with an output type answers in its shape', async () => {
  const outputType = z.object({ name: z.string(), age: z.number() });
  const agent = new Agent({ name: 'Form', model: 'sandbox/json', outputType, modelSettings });
  const { finalOutput } = await runner().run(agent, 'Who?');
  assert.deepEqual(outputType.parse(finalOutput), finalOutput);
});

test('an agent reasons, and its history is the input of another turn', async () => {
  const agent = new Agent({
    name: 'Thinker',
    model: 'sandbox/reason',
    modelSettings: { ...modelSettings, reasoning: { effort: 'low' } },
  });
  const first = await runner().run(agent, 'one two');
  const second = await runner().run(agent, [...first.history, { role: 'user', content: 'three' }]);
  assert.equal(second.finalOutput, '[sandbox] three');
});
