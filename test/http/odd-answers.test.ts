import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { chatBody, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readStream, textOf } from '../support/read-stream.ts';

/** What a client gets, and pays, for answers no documentation foresees. */
const dialects = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-gemini'] as const;
type Dialect = (typeof dialects)[number];

const events = { 'content-type': 'text/event-stream' };
const json = { 'content-type': 'application/json' };

let odd: FakeUpstream;
let sound: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  [odd, sound] = await Promise.all([startFakeUpstream(), startFakeUpstream({ steps: chatStream('Sound') })]);
  const south = providerOf({ slug: 'south', baseUrl: `${sound.url}/v1` });
  gateway = await startGateway({
    models: dialects.flatMap((adapter) => {
      const north = providerOf({ slug: `north-${adapter}`, name: 'North', adapter, baseUrl: odd.url });
      return [modelOf(`alone/${adapter}`, [north]), modelOf(`pair/${adapter}`, [north, south])];
    }),
  });
});

after(async () => {
  await gateway.stop();
  await Promise.all([odd.close(), sound.close()]);
});

interface Failure {
  readonly message: string;
  readonly metadata: { readonly error_type: string };
}

async function ask(dialect: Dialect, script: Script, author = 'alone') {
  odd.play(script);
  const body = { model: `${author}/${dialect}`, input: 'Hello', stream: true };
  const order = author === 'pair' ? { provider: { order: [`north-${dialect}`] } } : {};
  return gateway.post({ ...body, ...order });
}

async function failureOf(dialect: Dialect, script: Script): Promise<Failure> {
  const response = await ask(dialect, script);
  const { error } = (await response.json()) as { error: Failure };
  return error;
}

function usageOf(terminal: Readonly<Record<string, unknown>>): Readonly<Record<string, number>> {
  return terminal.usage as Readonly<Record<string, number>>;
}

const refusals: Readonly<Record<Dialect, object>> = {
  'openai-chat': { error: { message: 'Too long.', code: 'context_length_exceeded' } },
  'openai-responses': { error: { message: 'Too long.', code: 'context_length_exceeded' } },
  'anthropic-messages': {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' },
  },
  'google-gemini': {
    error: {
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).',
    },
  },
};

for (const dialect of dialects) {
  const body = JSON.stringify(refusals[dialect], null, 2);

  test(`${dialect}: a failure that is only announced as an event stream`, async () => {
    for (const steps of [[body], [`\ufeff\n ${body}`], [...body]]) {
      const { metadata } = await failureOf(dialect, { headers: events, steps });
      assert.equal(metadata.error_type, 'context_length_exceeded');
    }
  });

  test(`${dialect}: a refusal whose body is an event stream`, async () => {
    const event = `event: error\ndata: ${JSON.stringify(refusals[dialect])}\n\ndata: [DONE]\n\n`;
    const { metadata, message } = await failureOf(dialect, { status: 400, headers: events, steps: [event] });
    assert.equal(metadata.error_type, 'context_length_exceeded');
    assert.doesNotMatch(message, /data:/);
  });
}

test('a failure announced as an event stream goes to the next endpoint as any other', async () => {
  const body = JSON.stringify({ error: { message: 'Wait.', code: 'rate_limit_exceeded' } });
  const response = await ask('openai-chat', { headers: events, steps: [body] }, 'pair');
  assert.equal(textOf((await readStream(response)).terminal), 'Sound');
});

test('a whole answer announced as an event stream, as plain text or as nothing is an answer', async () => {
  for (const headers of [events, { 'content-type': 'text/plain' }, {}]) {
    const { terminal } = await readStream(await ask('openai-chat', { headers, steps: [chatBody('Whole')] }));
    assert.equal(textOf(terminal), 'Whole');
    assert.equal(usageOf(terminal).input_tokens, 9);
  }
});

test('compressed bytes, which nobody asked for, are never told as words', async () => {
  const gzip = { 'content-encoding': 'gzip' };
  const answer = gzipSync(chatStream('Hi').join(''));
  const unread = await failureOf('openai-chat', { headers: { ...events, ...gzip }, steps: [answer] });
  assert.equal(unread.message, 'North sent a compressed answer nobody asked for.');
  const refusal = gzipSync('{"error":{"message":"no"}}');
  const refused = await failureOf('openai-chat', {
    status: 400,
    headers: { ...json, ...gzip },
    steps: [refusal],
  });
  assert.equal(refused.message, 'North refused the request.');
  const plain = { ...events, 'content-encoding': 'Identity' };
  const { terminal } = await readStream(
    await ask('openai-chat', { headers: plain, steps: chatStream('Hi') }),
  );
  assert.equal(textOf(terminal), 'Hi');
});
