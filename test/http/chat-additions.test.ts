import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openaiChat } from '../dialects/openai-chat.ts';
import { openaiResponses } from '../dialects/openai-responses.ts';
import { accumulateChat } from '../dialects/support/accumulate-chat.ts';
import { dataOf } from '../dialects/support/public-clients.ts';
import { type ScriptedProvider, startScriptedProvider } from '../dialects/support/scripted-provider.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

// Speech, predictions, and bodies that some clients write in the words of POST /responses.

const said = {
  utterances: [{ say: ['Good ', 'day.'] }],
  finish: 'stop',
  usage: { input: 9, output: 7 },
} as const;
const messages = [{ role: 'user', content: 'Hello' }];
const audio = { voice: 'alloy', format: 'pcm16' };
const spoken = { modalities: ['text', 'audio'], audio };

let chat: ScriptedProvider;
let gpt: ScriptedProvider;
let gateway: TestGateway;

before(async () => {
  chat = await startScriptedProvider(openaiChat);
  gpt = await startScriptedProvider(openaiResponses);
  const at = (slug: string, url: string, quirks: object = {}) =>
    providerOf({ slug, name: slug, baseUrl: `${url}/v1`, quirks: { ...quirks } });
  const speaking = at('speaking', chat.url, { audioOutput: true, prediction: true });
  const silent = at('silent', chat.url);
  const responses = { ...at('gpt', gpt.url), adapter: 'openai-responses' };
  gateway = await startGateway({
    models: [
      { ...modelOf('acme/voice', [silent, speaking]), outputModalities: ['text', 'audio'] },
      { ...modelOf('acme/mute', [silent]), outputModalities: ['text', 'audio'] },
      modelOf('acme/text', [speaking]),
      modelOf('acme/plain', [silent]),
      modelOf('acme/gpt', [responses]),
    ],
  });
});
after(async () => {
  await gateway.stop();
  await Promise.all([chat.close(), gpt.close()]);
});

async function ask(body: object, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${gateway.url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}`, ...headers },
    body: JSON.stringify(body),
  });
  const raw = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of the wire.
  return { status: response.status, raw, body: (isStream ? undefined : JSON.parse(raw)) as any };
}

async function refusal(body: object, status: number): Promise<string> {
  const answered = await ask({ messages, ...body });
  assert.equal(answered.status, status, answered.raw);
  return answered.body.error.message;
}

/** An answer that is spoken, in pieces of base64 that end with padding. */
function speaks(streamed: boolean) {
  const pieces = ['one', 'tw', 'o'].map((text) => Buffer.from(text).toString('base64'));
  const words = ['One, ', 'two', '.'];
  const usage = {
    prompt_tokens: 9,
    completion_tokens: 40,
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 30 },
  };
  const whole = Buffer.from('onetwo').toString('base64');
  const heard = { id: 'audio_1', data: whole, transcript: words.join(''), expires_at: 1_900_000_000 };
  const choice = {
    index: 0,
    message: { role: 'assistant', content: null, audio: heard },
    finish_reason: 'stop',
  };
  if (!streamed) {
    const body = Buffer.from(JSON.stringify({ id: 'c1', choices: [choice], usage }));
    return { status: 200, headers: { 'content-type': 'application/json' }, body: [body] };
  }
  const deltas = [
    { audio: { id: 'audio_1', transcript: words[0] } },
    ...pieces.map((data, index) => ({ audio: { data, ...(index > 0 && { transcript: words[index] }) } })),
    { audio: { expires_at: 1_900_000_000 } },
  ];
  const chunks = [
    ...deltas.map((delta) => ({ id: 'c1', choices: [{ index: 0, delta }] })),
    { id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  ];
  const body = [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'];
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: body.map((event) => Buffer.from(event)),
  };
}

test('speech comes from an endpoint that makes it, streamed and not', async () => {
  chat.play(({ streamed }) => speaks(streamed));
  const whole = await ask({ model: 'acme/voice', messages, ...spoken });
  assert.equal(whole.status, 200, whole.raw);
  checkContract('ChatResult', whole.body);
  assert.equal(whole.body.provider, 'speaking');
  assert.partialDeepStrictEqual(chat.bodies.at(-1), spoken);
  const { message } = whole.body.choices[0];
  assert.equal(message.content, null);
  assert.equal(Buffer.from(message.audio.data, 'base64').toString(), 'onetwo');
  assert.equal(whole.body.usage.completion_tokens_details.audio_tokens, 30);

  const { raw } = await ask({ model: 'acme/voice', messages, ...spoken, stream: true });
  const chunks = dataOf(raw);
  for (const chunk of chunks) checkContract('ChatStreamChunk', chunk);
  const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta.audio ?? []);
  const bytes = pieces.map(({ data = '' }) => Buffer.from(data, 'base64'));
  assert.equal(Buffer.concat(bytes).toString(), 'onetwo');
  assert.equal(pieces.map(({ transcript = '' }) => transcript).join(''), message.audio.transcript);
  assert.deepEqual(
    pieces.flatMap(({ id, expires_at }) => [id, expires_at].filter((one) => one !== undefined)),
    [message.audio.id, message.audio.expires_at],
  );
  assert.ok(accumulateChat(raw));
});

test('speech that no endpoint can make is refused, and so is half of what it needs', async () => {
  chat.play(({ streamed }) => speaks(streamed));
  const before = chat.seen.length;
  assert.match(await refusal({ model: 'acme/mute', ...spoken }, 400), /modalities/);
  assert.match(await refusal({ model: 'acme/text', ...spoken }, 400), /kind of content/);
  assert.match(await refusal({ model: 'acme/voice', modalities: ['audio'] }, 400), /^audio: is required/);
  assert.match(await refusal({ model: 'acme/voice', audio }, 422), /^audio: needs "audio" among modalities/);
  assert.match(
    await refusal({ model: 'acme/voice', modalities: ['audio'], audio: { voice: 'alloy' } }, 400),
    /^audio\.format: is required/,
  );
  assert.equal(chat.seen.length, before, 'no provider was asked');
});

test('replayed speech is its transcript', async () => {
  chat.play(({ streamed }) => openaiChat.answer(said, streamed));
  const replay = (heard: object) => [
    ...messages,
    { role: 'assistant', content: null, audio: heard },
    { role: 'user', content: 'Again?' },
  ];
  const heard = { id: 'audio_1', transcript: 'One, two.' };
  const headers = { 'x-service-metadata': 'enabled' };
  const answered = await ask({ model: 'acme/text', messages: replay(heard) }, headers);
  assert.equal(answered.status, 200, answered.raw);
  assert.deepEqual(chat.seen.at(-1)?.turns[1], { role: 'assistant', text: 'One, two.' });
  assert.ok(!JSON.stringify(chat.bodies.at(-1)).includes('audio_1'));
  assert.match(JSON.stringify(answered.body.service_metadata), /messages\[1\]\.audio/);
  const strict = await ask({ model: 'acme/text', messages: replay(heard) }, { 'x-service-strict': 'true' });
  assert.equal(strict.status, 422);
  assert.match(
    await refusal({ model: 'acme/text', messages: replay({ id: 'audio_1' }) }, 422),
    /^messages\[1\]\.audio\.transcript: is required/,
  );
});

test('a prediction goes to providers that know it, and its counts come back', async () => {
  const parts = [
    { type: 'text', text: 'Good ' },
    { type: 'text', text: `day.${' And another one.'.repeat(20)}` },
  ];
  chat.play(({ streamed }) => {
    const answer = openaiChat.answer(said, streamed);
    const [text] = answer.body;
    const body = JSON.parse(String(text));
    body.usage = {
      prompt_tokens: 9,
      completion_tokens: 300,
      completion_tokens_details: {
        reasoning_tokens: 0,
        accepted_prediction_tokens: 5,
        rejected_prediction_tokens: 295,
      },
    };
    return { ...answer, body: [Buffer.from(JSON.stringify(body))] };
  });
  const prediction = { type: 'content', content: parts };
  const { body } = await ask({ model: 'acme/text', messages, prediction });
  assert.deepEqual(chat.bodies.at(-1)?.prediction, {
    type: 'content',
    content: parts.map(({ text }) => text).join(''),
  });
  // What was rejected is in no answer, and is billed as reported all the same.
  assert.equal(body.usage.completion_tokens, 300);
  assert.partialDeepStrictEqual(body.usage.completion_tokens_details, {
    accepted_prediction_tokens: 5,
    rejected_prediction_tokens: 295,
  });
  const elsewhere = await ask(
    { model: 'acme/plain', messages, prediction },
    { 'x-service-metadata': 'enabled' },
  );
  assert.equal(elsewhere.status, 200);
  assert.equal(chat.bodies.at(-1)?.prediction, undefined);
  assert.match(JSON.stringify(elsewhere.body.service_metadata), /prediction/);
  assert.match(
    await refusal({ model: 'acme/text', prediction: { type: 'content' } }, 400),
    /^prediction\.content: is required/,
  );
});

test('a body in the words of POST /responses is answered as chat', async () => {
  const tool = { type: 'function', name: 'get_tide', parameters: { type: 'object', properties: {} } };
  const input = [
    { role: 'user', content: [{ type: 'input_text', text: 'How high is the tide?' }] },
    { type: 'function_call', call_id: 'call_1', name: 'get_tide', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'Five metres.' },
  ];
  const text = {
    verbosity: 'low',
    format: { type: 'json_schema', name: 'answer', schema: { type: 'object' } },
  };
  const body = {
    input,
    instructions: 'Be brief.',
    tools: [tool],
    text,
    max_output_tokens: 500,
    store: false,
  };
  gpt.play(({ streamed }) => openaiResponses.answer(said, streamed));
  const sent: unknown[] = [];
  for (const stream of [false, true]) {
    const answered = await ask({
      model: 'acme/gpt',
      ...body,
      stream,
      stream_options: { include_usage: true },
    });
    assert.equal(answered.status, 200, answered.raw);
    // biome-ignore lint/suspicious/noExplicitAny: bodies of the wire.
    const whole = (stream ? accumulateChat(answered.raw) : answered.body) as any;
    assert.equal(whole.choices[0].message.content, 'Good day.');
    const { stream: _stream, ...asked } = gpt.bodies.at(-1) ?? {};
    sent.push(asked);
  }
  // What goes out is what POST /responses sends for the same words.
  const include = ['reasoning.encrypted_content'];
  const twin = await gateway.post({ model: 'acme/gpt', ...body, include });
  assert.equal(twin.status, 200, await twin.text());
  const { stream: _stream, ...asked } = gpt.bodies.at(-1) ?? {};
  for (const other of sent) assert.deepEqual(other, asked);
});

test('members of both dialects for one thing contradict each other', async () => {
  const model = 'acme/gpt';
  const refused = async (members: object) => {
    const answered = await ask({ model, input: 'Hello', ...members });
    assert.equal(answered.status, 422, answered.raw);
    return answered.body.error.message;
  };
  assert.match(await refused({ messages }), /^input: says what messages says/);
  assert.match(
    await refused({ max_output_tokens: 5, max_tokens: 5 }),
    /^max_output_tokens: says what max_tokens/,
  );
  assert.match(
    await refused({ text: { format: { type: 'text' } }, response_format: { type: 'text' } }),
    /^text: says what response_format says/,
  );
  // A chat member alone is read as one.
  const { status, raw } = await ask({ model, input: 'Hello', max_tokens: 77 });
  assert.equal(status, 200, raw);
  assert.equal(gpt.seen.at(-1)?.maxOutputTokens, 77);
  const tools = [{ type: 'custom', name: 'patch' }];
  const custom = await ask({ model, input: 'Hello', tools });
  assert.equal(custom.status, 400);
  assert.match(custom.body.error.message, /^tools\[0\]\.type/);
});

test('a picture of the model is whole in one delta, and the stream adds up to the unstreamed message', async () => {
  const picture =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const usage = { input: 9, output: 7 };
  for (const say of [[], ['Here ', 'it is.']]) {
    const utterances = [...(say.length > 0 ? [{ say }] : []), { picture }];
    chat.play(({ streamed }) => openaiChat.answer({ utterances, finish: 'stop', usage }, streamed));
    const whole = await ask({ model: 'acme/text', messages });
    const { message } = whole.body.choices[0];
    const images = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } }];
    assert.deepEqual(message.images, images);
    assert.equal(message.content, say.length > 0 ? say.join('') : null);
    const { raw } = await ask({ model: 'acme/text', messages, stream: true });
    const deltas = dataOf(raw).flatMap(({ choices }) => choices.map(({ delta }: { delta: object }) => delta));
    assert.equal(deltas.filter((delta) => 'images' in delta).length, 1);
    // biome-ignore lint/suspicious/noExplicitAny: bodies of the wire.
    const streamed = accumulateChat(raw) as any;
    assert.deepEqual(streamed.choices[0].message.images, images);
    assert.equal(streamed.choices[0].message.content || null, message.content);
  }
});
