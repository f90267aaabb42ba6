import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { collect, useGateway } from './support/gateway.js';

const gateway = useGateway();
const client = () => new OpenAI({ ...gateway, maxRetries: 0 });
const hello = (text) => [{ role: 'user', content: text }];
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const person = z.object({ name: z.string(), age: z.number().int().min(0) });

test('chat: text, whole and streamed, with its usage', async () => {
  const { completions } = client().chat;
  const body = { model: 'sandbox/echo', messages: hello('Grüße 漢字') };
  const whole = await completions.create(body);
  assert.equal(whole.choices[0].message.content, '[sandbox] Grüße 漢字');
  assert.ok(whole.usage.total_tokens > 0 && whole._request_id);
  const chunks = await collect(await completions.create({ ...body, stream: true }));
  const pieces = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? ''));
  assert.equal(pieces.join(''), '[sandbox] Grüße 漢字');
  assert.equal(chunks.filter(({ usage }) => usage).length, 1);
  const final = await completions.stream(body).finalChatCompletion();
  assert.deepEqual(final.choices[0].message.content, whole.choices[0].message.content);
  assert.deepEqual(final.usage, whole.usage);
});

test('chat: runTools calls the tool and answers with its result, whole and streamed', async () => {
  for (const stream of [false, true]) {
    const cities = [];
    const runner = client().chat.completions.runTools({
      model: 'sandbox/tools',
      messages: hello('The weather in Brest?'),
      stream,
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            description: 'The weather of a city',
            parameters,
            parse: JSON.parse,
            function: ({ city }) => {
              cities.push(city);
              return `${city}: clear`;
            },
          },
        },
      ],
    });
    assert.match(await runner.finalContent(), /The tool answered: .*clear/);
    assert.equal(cities.length, 1);
  }
});

test('chat: parse gives an object of the schema, whole and streamed', async () => {
  const { completions } = client().chat;
  const body = {
    model: 'sandbox/json',
    messages: hello('Somebody'),
    response_format: zodResponseFormat(person, 'person'),
  };
  const whole = await completions.parse(body);
  assert.deepEqual(person.parse(whole.choices[0].message.parsed), whole.choices[0].message.parsed);
  const streamed = await completions.stream(body).finalChatCompletion();
  assert.deepEqual(streamed.choices[0].message.parsed, whole.choices[0].message.parsed);
  const cut = completions.parse({ ...body, max_completion_tokens: 1 });
  await assert.rejects(cut, { name: 'Error', message: /length limit was reached/ });
});

test('chat: thoughts, and another turn after them', async () => {
  const { completions } = client().chat;
  const body = { model: 'sandbox/reason', messages: hello('one two') };
  const { choices } = await completions.create(body);
  assert.ok(choices[0].message.reasoning.length > 0);
  const messages = [...body.messages, choices[0].message, ...hello('three')];
  const second = await completions.create({ ...body, messages });
  assert.equal(second.choices[0].message.content, '[sandbox] three');
});

test('responses: create, stream and parse', async () => {
  const { responses } = client();
  const body = { model: 'sandbox/echo', input: 'one two' };
  assert.equal((await responses.create(body)).output_text, '[sandbox] one two');
  assert.equal((await responses.stream(body).finalResponse()).output_text, '[sandbox] one two');
  const parsed = await responses.parse({
    model: 'sandbox/json',
    input: 'Somebody',
    text: { format: zodTextFormat(person, 'person') },
  });
  assert.deepEqual(person.parse(parsed.output_parsed), parsed.output_parsed);
});

test('embeddings: the same numbers in both encodings', async () => {
  const { embeddings } = client();
  const body = { model: 'sandbox/embed', input: ['one', 'two'] };
  const packed = await embeddings.create(body);
  const plain = await embeddings.create({ ...body, encoding_format: 'float' });
  assert.equal(packed.data.length, 2);
  assert.deepEqual(
    packed.data.map(({ embedding }) => Array.from(embedding, Math.fround)),
    plain.data.map(({ embedding }) => embedding.map(Math.fround)),
  );
});

test('the list of models', async () => {
  const models = await collect(client().models.list());
  assert.ok(models.some(({ id }) => id === 'sandbox/echo'));
});

test('a refusal is the exception of its status, with what to do', async () => {
  const asking = client().chat.completions.create({ model: 'acme/nothing', messages: hello('Hi') });
  await assert.rejects(asking, (error) => error.status === 400 && /acme\/nothing/.test(error.message));
  const stranger = new OpenAI({ ...gateway, apiKey: 'wrong', maxRetries: 0 });
  const wrong = stranger.chat.completions.create({ model: 'sandbox/echo', messages: hello('Hi') });
  await assert.rejects(wrong, OpenAI.AuthenticationError);
});

test('a failure in the middle of a stream is an exception after what came', async () => {
  const { completions } = client().chat;
  const body = { model: 'sandbox/flaky', messages: hello('disconnect-after-2'), stream: true };
  const words = [];
  await assert.rejects(async () => {
    for await (const { choices } of await completions.create(body)) words.push(choices[0].delta.content);
  }, OpenAI.APIError);
  assert.ok(words.filter(Boolean).length >= 2);
});
