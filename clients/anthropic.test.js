import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { z } from 'zod';
import { collect, useGateway } from './support/gateway.js';

const gateway = useGateway();
const client = (settings = {}) =>
  new Anthropic({
    baseURL: gateway.baseURL.replace('/v1', ''),
    apiKey: gateway.apiKey,
    authToken: null,
    maxRetries: 0,
    ...settings,
  });
const ask = (model, text) => ({ model, max_tokens: 1_000, messages: [{ role: 'user', content: text }] });
const textOf = ({ content }) => content.map(({ text = '' }) => text).join('');

test('text, whole and streamed, with its usage', async () => {
  const body = ask('sandbox/echo', 'Grüße 漢字');
  const whole = await client().messages.create(body);
  assert.equal(textOf(whole), '[sandbox] Grüße 漢字');
  assert.ok(whole.usage.output_tokens > 0 && whole._request_id);
  const stream = client().messages.stream(body);
  const pieces = [];
  stream.on('text', (piece) => pieces.push(piece));
  const final = await stream.finalMessage();
  assert.equal(pieces.join(''), '[sandbox] Grüße 漢字');
  assert.deepEqual(final.content, whole.content);
  assert.equal(final.usage.output_tokens, whole.usage.output_tokens);
});

test('thoughts, and another turn after them', async () => {
  const body = ask('sandbox/reason', 'one two');
  const first = await client().messages.stream(body).finalMessage();
  assert.deepEqual(
    first.content.map(({ type }) => type),
    ['thinking', 'text'],
  );
  const messages = [...body.messages, { role: 'assistant', content: first.content }];
  const second = await client().messages.create({
    ...body,
    messages: [...messages, { role: 'user', content: 'three' }],
  });
  assert.equal(textOf(second), '[sandbox] three');
});

test('tokens are counted before anything is asked', async () => {
  const body = ask('sandbox/echo', 'one two three four');
  const { input_tokens: few } = await client().messages.countTokens(body);
  const { input_tokens: more } = await client().messages.countTokens({ ...body, system: 'Be brief.' });
  assert.ok(few > 0 && more > few);
});

test('the tool runner calls the tool and ends with its result, whole and streamed', async () => {
  for (const stream of [false, true]) {
    const cities = [];
    const weather = betaZodTool({
      name: 'weather',
      description: 'The weather of a city',
      inputSchema: z.object({ city: z.string() }),
      run: ({ city }) => {
        cities.push(city);
        return `${city}: clear`;
      },
    });
    const runner = client().beta.messages.toolRunner({
      ...ask('sandbox/tools', 'The weather in Brest?'),
      tools: [weather],
      stream,
    });
    assert.match(textOf(await runner.runUntilDone()), /The tool answered: .*clear/);
    assert.equal(cities.length, 1);
  }
});

test('models: listed over pages, and one by its name', async () => {
  const models = await collect(client().models.list({ limit: 2 }));
  assert.ok(models.some(({ id }) => id === 'sandbox/echo'));
  assert.equal((await client().models.retrieve('sandbox/echo')).id, 'sandbox/echo');
});

test('the key may come as a token', async () => {
  const bearer = client({ apiKey: null, authToken: gateway.apiKey });
  assert.equal(textOf(await bearer.messages.create(ask('sandbox/echo', 'Hi'))), '[sandbox] Hi');
});

test('a refusal is the exception of its status, with what to do', async () => {
  const asking = client().messages.create(ask('acme/nothing', 'Hi'));
  await assert.rejects(asking, (error) => error.status === 400 && /acme\/nothing/.test(error.message));
  const wrong = client({ apiKey: 'wrong' }).messages.create(ask('sandbox/echo', 'Hi'));
  await assert.rejects(wrong, Anthropic.AuthenticationError);
});

test('a failure in the middle of a stream is an exception after what came', async () => {
  const stream = client().messages.stream(ask('sandbox/flaky', 'disconnect-after-2'));
  const pieces = [];
  stream.on('text', (piece) => pieces.push(piece));
  await assert.rejects(stream.finalMessage(), Anthropic.APIError);
  assert.ok(pieces.length >= 2);
});
