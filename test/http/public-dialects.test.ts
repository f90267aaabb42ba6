import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ErrorCode, errorTable } from '../../src/core/errors.ts';
import { describeError } from '../../src/dialects/messages/describe-error.ts';
import { anthropicMessages } from '../dialects/anthropic-messages.ts';
import { openaiChat } from '../dialects/openai-chat.ts';
import { openaiResponses } from '../dialects/openai-responses.ts';
import { askPublic, dataOf, publicClients } from '../dialects/support/public-clients.ts';
import { type ScriptedProvider, startScriptedProvider } from '../dialects/support/scripted-provider.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { checkPublished } from '../support/published-interface.ts';

// What is the same in all public dialects about keys, strictness, fallback, silence and refusals.

const hello = { text: 'Hello' };
const usage = { input: 9, output: 7 };
const said = { utterances: [{ say: ['Good ', 'day.'] }], finish: 'stop', usage } as const;

let broken: ScriptedProvider;
let sound: ScriptedProvider;
let gpt: ScriptedProvider;
let claude: ScriptedProvider;
let gateway: TestGateway;

before(async () => {
  [broken, sound, gpt, claude] = (await Promise.all(
    [openaiChat, openaiChat, openaiResponses, anthropicMessages].map((dialect) =>
      startScriptedProvider(dialect),
    ),
  )) as [ScriptedProvider, ScriptedProvider, ScriptedProvider, ScriptedProvider];
  const at = (slug: string, { url }: ScriptedProvider, adapter = 'openai-chat') =>
    providerOf({ slug, name: slug, adapter, baseUrl: `${url}/v1` });
  gateway = await startGateway({
    models: [
      modelOf('acme/two', [at('broken', broken), at('sound', sound)]),
      modelOf('acme/gpt', [at('gpt', gpt, 'openai-responses')]),
      modelOf('acme/claude', [
        providerOf({ slug: 'claude', adapter: 'anthropic-messages', baseUrl: claude.url }),
      ]),
      modelOf('acme/small', [at('sound', sound)], { contextLength: 9_000 }),
      modelOf('acme/thinker', [{ ...at('sound', sound), quirks: { reasoningReplay: 'reasoning_content' } }]),
    ],
    server: { keepAlive: 100 },
  });
});
after(async () => {
  await gateway.stop();
  await Promise.all([broken, sound, gpt, claude].map((provider) => provider.close()));
});

for (const client of publicClients) {
  const ask = (model: string, more: object = {}, headers: Record<string, string> = {}) =>
    fetch(gateway.url + client.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}`, ...headers },
      body: JSON.stringify({ ...client.body(hello, model), ...more }),
    });
  // biome-ignore lint/suspicious/noExplicitAny: errors of two forms.
  const errorIn = async (response: Response): Promise<any> => {
    const body = JSON.parse(await response.text());
    return { ...body.error, error_type: body.error.error_type ?? body.error.metadata?.error_type };
  };

  test(`${client.name}: a provider that fails before output costs the client nothing`, async () => {
    broken.play(() => openaiChat.failure('server', 'Broken.'));
    sound.play(({ streamed }) => openaiChat.answer(said, streamed));
    for (const stream of [false, true]) {
      const body = { ...client.body(hello, 'acme/two'), stream, provider: { order: ['broken', 'sound'] } };
      // The reader of each stream asserts that it begins once.
      const { status, body: answer, raw } = await askPublic(gateway, client, body);
      assert.equal(status, 200, raw);
      assert.equal(client.read(answer).text, 'Good day.');
    }
    assert.equal(broken.seen.length, 2);
  });

  test(`${client.name}: a failure without another endpoint is an HTTP error, streamed too`, async () => {
    gpt.play(() => openaiResponses.failure('overloaded', 'Busy.'));
    for (const stream of [false, true]) {
      const response = await ask('acme/gpt', { stream });
      assert.equal(response.status, 529);
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
      assert.equal((await errorIn(response)).error_type, 'provider_overloaded');
    }
  });

  test(`${client.name}: a strict request names what an endpoint lacks, and asks nobody`, async () => {
    gpt.play(({ streamed }) => openaiResponses.answer(said, streamed));
    const response = await ask('acme/gpt', { top_k: 20 }, { 'x-service-strict': 'true' });
    assert.equal(response.status, 422);
    assert.match((await errorIn(response)).message, /top_k/);
    assert.equal(gpt.seen.length, 0);
    assert.equal((await ask('acme/gpt', { top_k: 20 })).status, 200);
  });

  test(`${client.name}: typing errors where money and privacy are at stake are refused, others are not`, async () => {
    sound.play(({ streamed }) => openaiChat.answer(said, streamed));
    const wrong = await ask('acme/small', { provider: { oder: ['sound'] } });
    assert.equal(wrong.status, 400);
    assert.match((await errorIn(wrong)).message, /^provider\.oder/);
    assert.equal((await ask('acme/small', { foo: 1 })).status, 200);
  });

  test(`${client.name}: a key comes in either header, a wrong one is 401 in the words of the dialect`, async () => {
    sound.play(({ streamed }) => openaiChat.answer(said, streamed));
    const both = { authorization: `Bearer ${gateway.key}`, 'x-api-key': gateway.key };
    for (const headers of [
      { authorization: both.authorization },
      { 'x-api-key': gateway.key, authorization: '' },
      both,
    ]) {
      assert.equal((await ask('acme/small', {}, headers)).status, 200);
    }
    const refused = await ask('acme/small', {}, { authorization: 'Bearer wrong' });
    assert.equal(refused.status, 401);
    assert.equal((await errorIn(refused)).error_type, 'authentication');
    assert.ok(gateway.log.every((line) => !line.includes(gateway.key)));
  });

  test(`${client.name}: a silent provider is bridged by keep-alives`, async () => {
    sound.play(({ streamed }) => ({ ...openaiChat.answer(said, streamed), pause: 120, delay: 350 }));
    const raw = await (await ask('acme/small', { stream: true })).text();
    const head = raw.slice(0, raw.indexOf('data: {'));
    assert.ok((head.match(/^: /gm) ?? []).length >= 2, head);
  });

  test(`${client.name}: a prompt that is too long says so, with both sizes`, async () => {
    const long = { ...client.body({ text: 'word '.repeat(14_000) }, 'acme/small'), stream: true };
    const { status, body } = await askPublic(gateway, client, long);
    assert.equal(status, 400);
    // biome-ignore lint/suspicious/noExplicitAny: errors of two forms.
    const { error, metadata = error.metadata } = body as any;
    assert.equal(error.error_type ?? error.metadata.error_type, 'context_length_exceeded');
    assert.equal(metadata.availability.tokens.available, 9_000);
    if (client.name === 'messages') {
      assert.match(
        error.message,
        /^prompt is too long: \d{4,} tokens > 9000 maximum .*capability_rejected: prompt_too_long/,
      );
    }
  });

  test(`${client.name}: a provider's own refusal of the length too`, async () => {
    const words = "This model's maximum context length is 8,192 tokens, but the messages have 9,001.";
    gpt.play(() => openaiResponses.failure('context_length', words));
    const response = await ask('acme/gpt');
    assert.equal(response.status, 400);
    const error = await errorIn(response);
    assert.equal(error.error_type, 'context_length_exceeded');
    const expected = client.name === 'messages' ? /^prompt is too long: 9001 tokens > 8192 maximum/ : /9,001/;
    assert.match(error.message, expected);
  });

  test(`${client.name}: bodies that cannot be read are refused in the words of the dialect`, async () => {
    for (const [body, status] of [
      ['{', 400],
      ['[]', 400],
      [JSON.stringify({ ...client.body(hello, 'acme/small'), pad: 'x'.repeat(33 * 2 ** 20) }), 413],
    ] as const) {
      const response = await fetch(gateway.url + client.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
        body,
      });
      assert.equal(response.status, status);
      const answered = JSON.parse(await response.text());
      if (client.name === 'messages') {
        assert.equal(answered.type, 'error');
        assert.equal(answered.error.type, 'invalid_request_error');
      } else assert.equal(answered.error.code, status);
      assert.ok(response.headers.get('x-request-id'));
      if (client.name === 'messages') assert.ok(response.headers.get('request-id'));
    }
  });
}

test('plain reasoning goes back to endpoints that take it, and never to one that verifies signatures', async () => {
  sound.play(({ streamed }) => openaiChat.answer(said, streamed));
  claude.play(({ streamed }) => anthropicMessages.answer(said, streamed));
  const messages = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Good day.', reasoning: 'They greet me.' },
    { role: 'user', content: 'And now?' },
  ];
  const [, chat] = publicClients;
  assert.ok(chat);
  for (const [model, provider, reaches] of [
    ['acme/thinker', sound, true],
    ['acme/claude', claude, false],
  ] as const) {
    const { status, raw } = await askPublic(gateway, chat, { model, messages });
    assert.equal(status, 200, raw);
    assert.equal(JSON.stringify(provider.bodies.at(-1)).includes('They greet me.'), reaches, model);
  }
});

test('usage in a chat stream is on the finishing chunk, and every chunk but that of include_usage has a choice', async () => {
  sound.play(({ streamed }) => openaiChat.answer(said, streamed));
  for (const include_usage of [false, true]) {
    const response = await fetch(`${gateway.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}` },
      body: JSON.stringify({
        model: 'acme/small',
        messages: [{ role: 'user', content: 'Hello' }],
        stream: true,
        stream_options: { include_usage },
      }),
    });
    const chunks = dataOf(await response.text());
    for (const chunk of chunks) checkContract('ChatStreamChunk', chunk);
    assert.equal(chunks.filter((chunk) => chunk.usage !== undefined).length, 1);
    assert.deepEqual(chunks.filter(({ choices }) => choices.length === 0).length, include_usage ? 1 : 0);
  }
});

test('every error of the table has its type in the Messages format', () => {
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    const { type, status, text } = errorTable[code];
    const body = describeError({ status, type, message: text, metadata: {} });
    checkPublished('MessagesError', body);
    const expected = status >= 500 ? /^(api|overloaded|timeout)_error$/ : /^(?!api_error)/;
    assert.match(String((body.error as { type: string }).type), expected, code);
  }
});
