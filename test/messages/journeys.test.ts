import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openaiResponses } from '../dialects/openai-responses.ts';
import { type Stage, setStage } from '../dialects/support/stage.ts';
import { chatChunk, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { checkMessageStream } from './message-checker.ts';
import { clientOf, post } from './messages-gateway.ts';

let chat: FakeUpstream;
let claude: FakeUpstream;
let gateway: TestGateway;
let sealing: Stage & { readonly strike: () => Promise<void> };

before(async () => {
  chat = await startFakeUpstream();
  claude = await startFakeUpstream();
  const north = providerOf({ slug: 'north', baseUrl: `${chat.url}/v1` });
  const south = providerOf({ slug: 'south', adapter: 'anthropic-messages', baseUrl: `${claude.url}/v1` });
  const models = [
    modelOf('acme/atlas-4', [north], { contextLength: 9_000, maxCompletionTokens: 2_000 }),
    modelOf('anthropic/claude-sonnet-4.5', [south]),
  ];
  gateway = await startGateway({
    models,
    server: { keepAlive: 60 },
    config: {
      compat: {
        aliases: [],
        byokCreatedStatus: 200,
        unavailableTools: 'refuse',
        modelAliases: { 'claude-haiku-*': 'acme/atlas-4' },
        claudeIds: true,
        closeStreams: false,
        echoModel: false,
      },
    },
  });
  sealing = await setStage(openaiResponses);
});

after(async () => {
  await gateway.stop();
  await chat.close();
  await claude.close();
  await sealing.strike();
});

const hello = { model: 'acme/atlas-4', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };
const claudeBody = JSON.stringify({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [{ type: 'text', text: 'Good day.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 5, output_tokens: 3 },
});

// biome-ignore lint/suspicious/noExplicitAny: each test looks at the members it is about.
const jsonOf = async (response: Response): Promise<any> => response.json();

async function errorOf(response: Response) {
  const body = await jsonOf(response);
  checkContract('AnthropicMessagesErrorResponse', body);
  assert.equal(body.request_id, response.headers.get('request-id'));
  return body.error as { readonly type: string; readonly message: string; readonly error_type: string };
}

test('a key is taken from either header, and of two the one that is known', async () => {
  chat.play({ steps: chatStream('Good day.') });
  const tries: readonly (readonly [Record<string, string>, number])[] = [
    [{ 'x-api-key': gateway.key }, 200],
    [{ 'x-api-key': '', authorization: `Bearer ${gateway.key}` }, 200],
    [{ 'x-api-key': gateway.key, authorization: `Bearer ${gateway.key}` }, 200],
    [{ 'x-api-key': gateway.key, authorization: 'Bearer sk-of-another-service' }, 200],
    [{ 'x-api-key': 'sk-of-another-service', authorization: `Bearer ${gateway.key}` }, 200],
    [{ 'x-api-key': 'wrong' }, 401],
    [{ 'x-api-key': 'wrong', authorization: 'Bearer wrong too' }, 401],
  ];
  for (const [headers, status] of tries) {
    const response = await post(gateway, hello, { headers });
    assert.equal(response.status, status, JSON.stringify(headers));
    if (status === 401) assert.equal((await errorOf(response)).type, 'authentication_error');
    else await response.text();
  }
  assert.ok(gateway.log.every((line) => !line.includes(gateway.key)));
});

test('a thread is refused in the words that its clients go on without', async () => {
  for (const thread of [{ type: 'create' }, { type: 'continue', previous_message_id: 'msg_1' }]) {
    const response = await post(gateway, { ...hello, thread });
    assert.equal(response.status, 400);
    const { error, metadata } = JSON.parse(await response.text());
    assert.match(error.message, /^thread: .*send all messages/);
    assert.deepEqual(error.details, { error_code: 'thread_unsupported_request', unsupported: ['thread'] });
    assert.equal(metadata, undefined);
  }
  assert.equal((await post(gateway, { ...hello, thread: null })).status, 200);
});

test('refusals have the body of this format on every path of its clients', async () => {
  const tool = { name: 'tide', input_schema: { type: 'object' } };
  const refused: readonly (readonly [unknown, number, string, RegExp])[] = [
    ['{', 400, 'invalid_request_error', /not valid JSON/],
    [{ ...hello, messages: [] }, 400, 'invalid_request_error', /^messages: must not be empty/],
    [{ ...hello, max_tokens: 'x' }, 400, 'invalid_request_error', /^max_tokens: /],
    [{ ...hello, model: 'acme/none' }, 400, 'invalid_request_error', /does not exist/],
    [{ ...hello, provider: { oder: [] } }, 400, 'invalid_request_error', /^provider.oder: unknown/],
    [{ ...hello, tools: [tool, tool] }, 422, 'invalid_request_error', /^tools\[1\].name/],
    [{ ...hello, tool_choice: { type: 'any' } }, 422, 'invalid_request_error', /^tool_choice/],
    [{ ...hello, mcp_servers: [{}] }, 400, 'invalid_request_error', /^mcp_servers/],
    [
      { ...hello, thinking: { type: 'enabled', budget_tokens: 100 } },
      422,
      'invalid_request_error',
      /^thinking/,
    ],
    [
      { ...hello, tools: [{ type: 'service:fusion', name: 'x' }] },
      400,
      'invalid_request_error',
      /^tools\[0\].type/,
    ],
    [{ ...hello, fallbacks: [{ model: 'a', x: 1 }] }, 400, 'invalid_request_error', /^fallbacks\[0\].x/],
  ];
  for (const [body, status, type, message] of refused) {
    const response = await post(gateway, body);
    assert.equal(response.status, status, JSON.stringify(body));
    const error = await errorOf(response);
    assert.equal(error.type, type);
    assert.match(error.message, message);
  }
  const nowhere = await post(gateway, {}, { path: '/messages/batches' });
  assert.equal((await errorOf(nowhere)).type, 'not_found_error');
  const model = await gateway.get('/api/v1/models/acme/none', { 'anthropic-version': '2023-06-01' });
  assert.equal((await errorOf(model)).type, 'not_found_error');
});

test('unknown members go to providers of this format unchanged, and to no other', async () => {
  const odd = { ...hello, foo: 1, context_management: { edits: [] } };
  claude.play({ whole: claudeBody });
  const native = await post(gateway, { ...odd, model: 'claude-sonnet-4-5-20250929' });
  assert.equal(native.status, 200, await native.clone().text());
  const sent = claude.requests.at(-1)?.body as Record<string, unknown>;
  assert.deepEqual([sent.foo, sent.context_management], [1, { edits: [] }]);
  assert.deepEqual((await jsonOf(native)).context_management, { applied_edits: [] });
  chat.play({ steps: chatStream('Good day.') });
  const other = await post(gateway, odd, { headers: { 'x-service-metadata': 'enabled' } });
  const { service_metadata } = await jsonOf(other);
  assert.match(JSON.stringify(service_metadata.pipeline), /foo, context_management/);
  assert.doesNotMatch(JSON.stringify(chat.requests.at(-1)?.body), /"foo"/);
});

test('names of models: aliases, prefixes, bare names, and the form of their list', async () => {
  chat.play({ steps: chatStream('Good day.') });
  claude.play({ whole: claudeBody });
  const answered = async (model: string) => {
    const headers = { 'x-service-metadata': 'enabled' };
    const response = await post(gateway, { ...hello, model }, { headers });
    const body = await jsonOf(response);
    return [body.model, body.service_metadata?.requested, body.service_metadata?.strategy];
  };
  for (const name of ['claude-haiku-4-5-20251001', 'claude-via/acme/atlas-4']) {
    assert.deepEqual(await answered(name), ['acme/atlas-4', name, 'alias']);
  }
  assert.equal((await answered('claude-sonnet-4-5-20250929[1m]'))[0], 'anthropic/claude-sonnet-4.5');
  assert.match(String(claude.requests.at(-1)?.headers['anthropic-beta']), /context-1m/);
  const client = clientOf(gateway);
  const ids: string[] = [];
  for await (const { id } of client.models.list({ limit: 1 })) ids.push(id);
  const models = ids.filter((id) => !id.includes('service/'));
  assert.deepEqual(models, ['acme/atlas-4', 'claude-via/acme/atlas-4', 'anthropic/claude-sonnet-4.5']);
  assert.ok(ids.includes('claude-via/service/auto'));
  assert.equal((await client.models.retrieve('acme/atlas-4')).max_input_tokens, 9_000);
  assert.equal((await client.models.retrieve('claude-via/acme/atlas-4')).type, 'model');
});

test('tokens are counted by the provider where it can, else estimated from above; nothing is charged', async () => {
  const client = clientOf(gateway);
  claude.play({ whole: JSON.stringify({ input_tokens: 77 }) });
  const exact = await client.messages
    .countTokens({ model: 'anthropic/claude-sonnet-4.5', messages: [{ role: 'user', content: 'Hi' }] })
    .withResponse();
  assert.equal(exact.data.input_tokens, 77);
  assert.equal(exact.response.headers.get('x-service-token-count'), 'exact');
  assert.equal(claude.requests.at(-1)?.path, '/v1/messages/count_tokens');
  claude.play({ status: 500, headers: {}, steps: ['no'] });
  const failed = await post(
    gateway,
    { ...hello, model: 'anthropic/claude-sonnet-4.5' },
    { path: '/messages/count_tokens' },
  );
  assert.equal(failed.headers.get('x-service-token-count'), 'estimate');
  const count = async (more: object) => {
    const response = await post(gateway, { ...hello, ...more }, { path: '/messages/count_tokens' });
    assert.equal(response.status, 200, await response.clone().text());
    return (await jsonOf(response)).input_tokens as number;
  };
  const plain = await count({});
  const asked = await count({ system: 'Be brief.' });
  const tooled = await count({
    system: 'Be brief.',
    tools: [{ name: 'tide', input_schema: { type: 'object' } }],
  });
  assert.ok(plain < asked && asked < tooled);
  const long = [{ role: 'user', content: 'word '.repeat(20_000) }];
  assert.ok((await count({ messages: long })) >= 20_000, 'more than the model takes');
  // More of anything never makes the estimate smaller.
  const text = { type: 'text', text: 'Hello' };
  const picture = { type: 'image', source: { type: 'url', url: 'https://example.test/a.png' } };
  const pdf = {
    type: 'document',
    source: {
      type: 'base64',
      media_type: 'application/pdf',
      data: Buffer.from('%PDF-1.4').toString('base64'),
    },
  };
  const counts: number[] = [];
  for (const content of [[text], [text, picture], [text, picture, pdf], [text, picture, pdf, text]]) {
    counts.push(await count({ messages: [{ role: 'user', content }] }));
  }
  assert.deepEqual(
    counts,
    [...new Set(counts)].sort((one, other) => one - other),
  );
  assert.ok((await count({ messages: [{ role: 'user', content: 'tide '.repeat(20_000) }] })) > 20_000);
  await sleep(50);
  const id = failed.headers.get('x-generation-id') ?? '';
  assert.equal(await gateway.storage.generations.find(id), undefined);
});

test('a client that counts too often is told to wait', async () => {
  const key = await gateway.createKey();
  let last = 200;
  for (let times = 0; times < 300 && last === 200; times += 1) {
    const response = await post(gateway, hello, {
      path: '/messages/count_tokens',
      headers: { 'x-api-key': key },
    });
    last = response.status;
    if (last !== 200) assert.equal((await errorOf(response)).type, 'rate_limit_error');
    else await response.text();
  }
  assert.equal(last, 429);
});

test('a silent provider: comments before the message begins, pings after it', async () => {
  chat.play({
    steps: [400, chatChunk({ content: 'Good ' }), 400, chatChunk({ content: 'day.' }), chatChunk({}, 'stop')],
  });
  const text = await (await post(gateway, { ...hello, stream: true })).text();
  const { comments, events } = checkMessageStream(text);
  assert.ok(comments > 0);
  assert.ok(events.filter(({ type }) => type === 'ping').length > 1);
});

test('a provider that fails in the middle: an error event and no end, or an HTTP error unstreamed', async () => {
  const cut = {
    steps: [chatChunk({ content: 'The first' }), chatChunk({ content: ' words' })],
    ending: 'cut',
  } as const;
  chat.play(cut);
  const text = await (await post(gateway, { ...hello, stream: true })).text();
  const { message, error } = checkMessageStream(text);
  assert.equal(message, undefined);
  assert.equal(error?.error_type, 'provider_unavailable');
  const whole = await post(gateway, hello);
  assert.equal(whole.status, 502);
  assert.equal((await errorOf(whole)).type, 'api_error');
});

test('more output than any endpoint writes is lowered and reported, or refused when strict', async () => {
  chat.play({ steps: chatStream('Good day.') });
  const headers = { 'x-service-metadata': 'enabled' };
  const body = { ...hello, max_tokens: 128_000, thinking: { type: 'enabled', budget_tokens: 127_999 } };
  const answer = await post(gateway, body, { headers });
  assert.equal(answer.status, 200, await answer.clone().text());
  assert.match(JSON.stringify((await jsonOf(answer)).service_metadata.pipeline), /2000 instead of 128000/);
  assert.match(JSON.stringify(chat.requests.at(-1)?.body), /"max_tokens":2000\b/);
  const strict = await post(gateway, body, { headers: { 'x-service-strict': 'true' } });
  assert.equal(strict.status, 422);
});

test('sealed reasoning goes from a response through messages back to its maker, byte for byte', async () => {
  const model = 'acme/atlas-4';
  const blob = 'c2VhbGVkIHRob3VnaHQ';
  sealing.say({ utterances: [{ think: [], encrypted: blob }, { say: ['42'] }], finish: 'stop' });
  const first = await post(sealing.gateway, { ...hello, model });
  const { content } = await jsonOf(first);
  const [thought] = content;
  assert.ok(['redacted_thinking', 'thinking'].includes(thought.type));
  const ask = (blocks: readonly object[]) =>
    post(sealing.gateway, {
      ...hello,
      model,
      messages: [
        ...hello.messages,
        { role: 'assistant', content: blocks },
        { role: 'user', content: 'And now?' },
      ],
    });
  assert.equal((await ask(content)).status, 200);
  assert.match(JSON.stringify(sealing.provider.bodies.at(-1)), new RegExp(blob));
  const place = thought.type === 'thinking' ? 'signature' : 'data';
  const carrier = String(thought[place]);
  const flipped = carrier.slice(0, -2) + (carrier.at(-2) === 'A' ? 'B' : 'A') + carrier.slice(-1);
  const damaged = await ask([{ ...thought, [place]: flipped }, ...content.slice(1)]);
  assert.equal(damaged.status, 200);
  assert.doesNotMatch(JSON.stringify(sealing.provider.bodies.at(-1)), new RegExp(blob));
});
