import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream({
    whole: JSON.stringify({
      id: 'a',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 2 },
    }),
  });
  const at = (slug: string) => providerOf({ slug, baseUrl: `${upstream.url}/v1` });
  const small = { contextLength: 8192, maxCompletionTokens: 100 };
  gateway = await startGateway({
    models: [
      modelOf('acme/small', [at('small')], small),
      modelOf('acme/large', [at('large')], { ...small, contextLength: 8193 }),
      { ...modelOf('acme/painter', [at('painter')], small), outputModalities: ['image'] },
      modelOf(
        'acme/claude-sonnet-4.5',
        [providerOf({ slug: 'claude', adapter: 'anthropic-messages', baseUrl: `${upstream.url}/v1` })],
        { upstreamModel: 'claude-sonnet-4-5' },
      ),
    ],
  });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

const text = 'word '.repeat(15_000);
const input = [
  { role: 'user', content: 'First.' },
  { role: 'assistant', content: text },
  { role: 'user', content: 'Last.' },
];

/** The status of an answer, what was sent for it, and what the gateway says it did. */
async function ask(door: string, body: object, headers: Record<string, string> = {}) {
  const before = upstream.requests.length;
  const answer = await fetch(`${gateway.url}/api/v1/${door}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${gateway.key}`,
      'x-service-metadata': 'enabled',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers and bodies of several dialects.
  const told: any = await answer.json();
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const sent: any = upstream.requests[before]?.body;
  return { status: answer.status, told, sent, pipeline: told.service_metadata?.pipeline };
}

describe('a context of 8,192 tokens', () => {
  test('is kept by default, at every door', async () => {
    const messages = [...input];
    for (const [door, body] of [
      ['responses', { input }],
      ['chat/completions', { messages }],
      ['messages', { messages, max_tokens: 50 }],
    ] as const) {
      const { status, told, sent } = await ask(door, { model: 'acme/small', ...body });
      assert.equal(status, 200, JSON.stringify(told));
      assert.ok(JSON.stringify(sent).length < 45_000, door);
      assert.equal(sent.messages.at(-1).content, 'Last.');
    }
  });

  test('is told of in the pipeline, for a lone text in characters', async () => {
    const conversation = await ask('responses', { model: 'acme/small', input });
    assert.partialDeepStrictEqual(conversation.pipeline, [
      {
        type: 'context_compression',
        data: { engine: 'middle-out', input_type: 'messages', original_count: 3 },
      },
    ]);
    const prompt = await ask('responses', { model: 'acme/small', input: text });
    const [{ data }] = prompt.pipeline;
    assert.equal(data.input_type, 'prompt');
    assert.equal(data.original_count, text.length);
    assert.equal(data.compressed_count, prompt.sent.messages[0].content.length);
  });

  for (const [name, door, off] of [
    ['`truncation: disabled`', 'responses', { input, truncation: 'disabled' }],
    ['the plugin', 'responses', { input, plugins: [{ id: 'context-compression', enabled: false }] }],
    [
      'the plugin, before `truncation`,',
      'responses',
      { input, truncation: 'auto', plugins: [{ id: 'context-compression', enabled: false }] },
    ],
    ['no transforms', 'chat/completions', { messages: input, transforms: [] }],
    [
      'the plugin',
      'messages',
      { messages: input, max_tokens: 50, plugins: [{ id: 'context-compression', enabled: false }] },
    ],
  ] as const) {
    test(`is exceeded, which is 400, where ${name} of ${door} says so`, async () => {
      const { status, told, sent } = await ask(door, { model: 'acme/small', ...off });
      assert.equal(status, 400);
      assert.equal(sent, undefined);
      assert.match(JSON.stringify(told), /8192 are available.*context-compression/);
    });
  }

  test('is exceeded where the request is strict', async () => {
    const { status } = await ask('responses', { model: 'acme/small', input }, { 'x-service-strict': 'true' });
    assert.equal(status, 400);
  });

  test('is exceeded where only pictures are made', async () => {
    const { status } = await ask('responses', {
      model: 'acme/painter',
      input,
      modalities: ['image'],
    });
    assert.equal(status, 400);
  });
});

test('a larger context is kept only on request', async () => {
  assert.equal((await ask('responses', { model: 'acme/large', input })).status, 400);
  const plugins = [{ id: 'context-compression' }];
  const asked = [
    await ask('responses', { model: 'acme/large', input, truncation: 'auto' }),
    await ask('responses', { model: 'acme/large', input, plugins }),
    await ask('chat/completions', { model: 'acme/large', messages: input, plugins }),
    await ask('messages', { model: 'acme/large', messages: input, plugins, max_tokens: 50 }),
  ];
  for (const { status, told } of asked) assert.equal(status, 200, JSON.stringify(told));
});

test('Claude gets a thousand messages at most, the first and the last ones', async () => {
  const many = Array.from({ length: 1201 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `m${at}`,
  }));
  const { sent } = await ask('responses', {
    model: 'acme/claude-sonnet-4.5',
    input: many,
    truncation: 'auto',
  });
  assert.ok(sent.messages.length <= 1000, `${sent.messages.length}`);
  assert.match(JSON.stringify(sent.messages[0]), /"m0"/);
  assert.match(JSON.stringify(sent.messages.at(-1)), /"m1200"/);
  const whole = await ask('responses', { model: 'acme/claude-sonnet-4.5', input: many });
  assert.equal(whole.sent.messages.length, 1201);
});
