import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { Model } from '../../src/core/catalogue.ts';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;
/** Paths that clients asked for, each time they did. */
const asked: string[] = [];

/** Counts what a client library sends, with its usual retries. */
const counting: typeof fetch = (input, init) => {
  asked.push(new URL(input instanceof Request ? input.url : input).pathname);
  return fetch(input, init);
};

before(async () => {
  upstream = await startFakeUpstream({ whole: chatBody('Good day.') });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const { contextLength, ...plain } = modelOf('acme/any', [north]);
  assert.equal(contextLength, undefined);
  const undeclared: Model = {
    ...plain,
    inputModalities: ['text'],
    undeclared: { input: true, output: true },
  };
  const text: Model = { ...modelOf('acme/text', [north]), inputModalities: ['text'] };
  const small = modelOf('acme/small', [north], { contextLength: 9_000 });
  gateway = await startGateway({ models: [text, undeclared, small] });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const withPicture = [
  {
    role: 'user' as const,
    content: [{ type: 'input_image' as const, image_url: picture, detail: 'auto' as const }],
  },
];

type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming;

/** What the client library throws for a request, and how often it asked. */
async function failureOf(body: Body & { readonly provider?: object }) {
  asked.length = 0;
  const client = new OpenAI({ baseURL: `${gateway.url}/api/v1`, apiKey: gateway.key, fetch: counting });
  const error = await client.responses.create(body).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof OpenAI.APIError, String(error));
  return { status: error.status, message: error.message, times: asked.length };
}

test('what a request itself cannot have is 400, and a client library asks once (docs/spec/errors.md#availability)', async () => {
  const long = 'word '.repeat(14_000);
  const cases: readonly (readonly [string, Body & { readonly provider?: object }])[] = [
    ['a picture for a model of text', { model: 'acme/text', input: withPicture }],
    ['a prompt beyond every context', { model: 'acme/small', input: long }],
    [
      'a tool nobody hosts',
      {
        model: 'acme/text',
        input: 'Hello',
        tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
      },
    ],
    ['an unknown model', { model: 'acme/nobody', input: 'Hello' }],
  ];
  const before = upstream.requests.length;
  for (const [name, body] of cases) {
    const { status, times, message } = await failureOf(body);
    assert.deepEqual([status, times], [400, 1], `${name}: ${message}`);
  }
  assert.equal(upstream.requests.length, before);
});

test('what preferences leave nobody for is 503, and a client library does not repeat that either', async () => {
  const { status, times } = await failureOf({
    model: 'acme/text',
    input: 'Hello',
    provider: { only: ['elsewhere'] },
  });
  assert.deepEqual([status, times], [503, 1]);
});

test('the same holds in the Messages format', async () => {
  asked.length = 0;
  const client = new Anthropic({ baseURL: `${gateway.url}/api`, apiKey: gateway.key, fetch: counting });
  const image = {
    type: 'base64' as const,
    media_type: 'image/png' as const,
    data: picture.split(',')[1] ?? '',
  };
  const error = await client.messages
    .create({
      model: 'acme/text',
      max_tokens: 10,
      messages: [{ role: 'user', content: [{ type: 'image', source: image }] }],
    })
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  assert.ok(error instanceof Anthropic.BadRequestError, String(error));
  assert.equal(asked.length, 1);
});

test('kinds of content that nobody declared are passed on', async () => {
  const client = new OpenAI({ baseURL: `${gateway.url}/api/v1`, apiKey: gateway.key });
  const { output_text: said } = await client.responses.create({ model: 'acme/any', input: withPicture });
  assert.equal(said, 'Good day.');
  assert.match(JSON.stringify(upstream.requests.at(-1)?.body), /image_url/);
});
