import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';
import { collect } from './gateway.js';

const weather = tool({
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, sky: 'clear' }),
});
const person = z.object({ name: z.string(), age: z.number().int().min(0) });

/**
 * What every provider package of the AI SDK must do.
 * @param model Makes the model of a name.
 * @param settings What the package needs with every call.
 * @param differs What differs in this package: the model that answers in a shape, whether thoughts are shown, whether
 *   refusals have a message.
 */
export function testAiSdk(model, settings = {}, differs = {}) {
  const { shaping = 'sandbox/json', showsThoughts = false, readsRefusals = true } = differs;
  const ask = (name, more) => ({ model: model(name), ...settings, ...more });

  test('text, with usage', async () => {
    const { text, usage, finishReason } = await generateText(ask('sandbox/echo', { prompt: 'Grüße 漢字' }));
    assert.equal(text, '[sandbox] Grüße 漢字');
    assert.equal(finishReason, 'stop');
    assert.ok(usage.inputTokens > 0 && usage.outputTokens > 0);
  });

  test('text as it comes', async () => {
    const result = streamText(ask('sandbox/echo', { prompt: 'one two three' }));
    const pieces = await collect(result.textStream);
    assert.equal(pieces.join(''), '[sandbox] one two three');
    assert.ok(pieces.length >= 3);
  });

  test('a tool is called and its result answered, whole and streamed', async () => {
    const asked = ask('sandbox/tools', {
      prompt: 'The weather in Brest?',
      tools: { weather },
      stopWhen: stepCountIs(3),
    });
    const { text, steps } = await generateText(asked);
    assert.equal(steps.length, 2);
    assert.match(text, /The tool answered: .*clear/);
    const streamed = streamText(asked);
    assert.equal((await collect(streamed.textStream)).join(''), text);
  });

  test('structured output, whole and streamed', async () => {
    const asked = ask(shaping, { prompt: 'Somebody', output: Output.object({ schema: person }) });
    const { output } = await generateText(asked);
    assert.deepEqual(person.parse(output), output);
    const streamed = streamText(asked);
    const partial = await collect(streamed.partialOutputStream);
    assert.deepEqual(partial.at(-1), output);
  });

  test('reasoning, and another turn after it', async () => {
    const first = streamText(ask('sandbox/reason', { prompt: 'one two' }));
    assert.equal((await collect(first.textStream)).join(''), '[sandbox] one two');
    if (showsThoughts) assert.match(await first.reasoningText, /Nothing thinks here/);
    const { messages } = await first.response;
    const user = (content) => ({ role: 'user', content });
    const conversation = [user('one two'), ...messages, user('three')];
    const second = await generateText(ask('sandbox/reason', { messages: conversation }));
    assert.equal(second.text, '[sandbox] three');
  });

  test('a refused request is an error with its status, and its message where the package reads one', async () => {
    const asking = generateText(ask('acme/nothing', { prompt: 'Hi', maxRetries: 0 }));
    await assert.rejects(
      asking,
      (error) => error.statusCode === 400 && (!readsRefusals || /acme\/nothing/.test(error.message)),
    );
  });
}

/** What packages must do that tell of a stream that fails in the middle. */
export function testBrokenStream(model) {
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
}
