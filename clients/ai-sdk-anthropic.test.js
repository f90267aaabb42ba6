import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { collect, useGateway } from './support/gateway.js';

// It warns that it does not know the output limits of these models.
globalThis.AI_SDK_LOG_WARNINGS = false;
const gateway = useGateway();
const model = (name) => createAnthropic(gateway)(name);
const weather = tool({
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sky: 'clear' }),
});
const person = z.object({ name: z.string(), age: z.number().int().min(0) });

test('text, with usage', async () => {
  const { text, usage, finishReason } = await generateText({
    model: model('sandbox/echo'),
    prompt: 'Grüße 漢字',
  });
  assert.equal(text, '[sandbox] Grüße 漢字');
  assert.equal(finishReason, 'stop');
  assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0);
});

test('text as it comes', async () => {
  const result = streamText({ model: model('sandbox/echo'), prompt: 'one two three' });
  const pieces = await collect(result.textStream);
  assert.equal(pieces.join(''), '[sandbox] one two three');
  assert.ok(pieces.length >= 3);
});

test('a tool is called and its result answered, whole and streamed', async () => {
  const settings = {
    model: model('sandbox/tools'),
    prompt: 'The weather in Brest?',
    tools: { weather },
    stopWhen: stepCountIs(3),
  };
  const { text, steps } = await generateText(settings);
  assert.equal(steps.length, 2);
  assert.match(text, /The tool answered: .*clear/);
  const streamed = streamText(settings);
  assert.equal((await collect(streamed.textStream)).join(''), text);
});

test('structured output, whole and streamed', async () => {
  const settings = {
    // Of a model it does not know, the library asks for the object as a call of a tool of its own.
    model: model('sandbox/tools'),
    prompt: 'Somebody',
    output: Output.object({ schema: person }),
  };
  const { output } = await generateText(settings);
  assert.deepEqual(person.parse(output), output);
  const streamed = streamText(settings);
  const partial = await collect(streamed.partialOutputStream);
  assert.deepEqual(partial.at(-1), output);
});

test('reasoning, and another turn after it', async () => {
  const settings = { model: model('sandbox/reason') };
  const first = streamText({ ...settings, prompt: 'one two' });
  assert.equal((await collect(first.textStream)).join(''), '[sandbox] one two');
  assert.match(await first.reasoningText, /Nothing thinks here/);
  const { messages } = await first.response;
  const second = await generateText({
    ...settings,
    messages: [{ role: 'user', content: 'one two' }, ...messages, { role: 'user', content: 'three' }],
  });
  assert.equal(second.text, '[sandbox] three');
});

test('a refused request is an error with its message', async () => {
  const asking = generateText({ model: model('acme/nothing'), prompt: 'Hi', maxRetries: 0 });
  await assert.rejects(asking, (error) => error.statusCode === 400 && /acme\/nothing/.test(error.message));
});

test('a failure in the middle of a stream is one error part after what came', async () => {
  const errors = [];
  const result = streamText({
    model: model('sandbox/flaky'),
    prompt: 'disconnect-after-2',
    maxRetries: 0,
    onError: ({ error }) => errors.push(error),
  });
  const parts = await collect(result.stream);
  assert.ok(parts.filter(({ type }) => type === 'text-delta').length >= 2);
  assert.equal(parts.filter(({ type }) => type === 'error').length, 1);
  assert.equal(errors.length, 1);
  assert.doesNotMatch(String(errors[0]?.message ?? errors[0]), /validation|parse/i);
});
