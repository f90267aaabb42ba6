import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkMessageStream } from '../messages/message-checker.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { openaiResponses } from './openai-responses.ts';
import { accumulateChat } from './support/accumulate-chat.ts';
import { dataOf } from './support/public-clients.ts';
import { type ScriptedProvider, startScriptedProvider } from './support/scripted-provider.ts';

// Streams of chat and Messages as documents of the two formats show them, event by event, and which clients
// get the thoughts of another maker's model.

const usage = { input: 12, output: 9 };
const signature = 'RXZlcnkgbGV0dGVy';
let claude: ScriptedProvider;
let gpt: ScriptedProvider;
let gateway: TestGateway;

before(async () => {
  claude = await startScriptedProvider(anthropicMessages);
  gpt = await startScriptedProvider(openaiResponses);
  const own = providerOf({
    slug: 'claude',
    name: 'Claude',
    adapter: 'anthropic-messages',
    baseUrl: claude.url,
  });
  const other = providerOf({ slug: 'gpt', adapter: 'openai-responses', baseUrl: `${gpt.url}/v1` });
  const reasoning = { mandatory: false, supportsMaxTokens: true };
  gateway = await startGateway({
    models: [
      { ...modelOf('acme/claude', [own]), reasoning },
      { ...modelOf('acme/gpt', [other]), reasoning },
    ],
  });
});
after(async () => {
  await gateway.stop();
  await Promise.all([claude.close(), gpt.close()]);
});

async function ask(path: string, body: object): Promise<string> {
  const response = await fetch(`${gateway.url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${gateway.key}`,
      'x-service-metadata': 'enabled',
    },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 200, await response.clone().text());
  return response.text();
}

const chatBody = (more: object = {}) => ({
  model: 'acme/claude',
  messages: [{ role: 'user', content: 'Hello' }],
  reasoning: { effort: 'low' },
  stream: true,
  ...more,
});

/** What each chunk adds: its one choice, or nothing. */
function deltasOf(stream: string): readonly unknown[] {
  const chunks = dataOf(stream);
  for (const chunk of chunks) {
    checkContract('ChatStreamChunk', chunk);
    assert.partialDeepStrictEqual(chunk, {
      object: 'chat.completion.chunk',
      model: 'acme/claude',
      provider: 'Claude',
    });
  }
  return chunks.map(({ choices }) => choices[0]?.delta);
}

test('chat: thoughts, text, and usage on the finishing chunk', async () => {
  claude.play(({ streamed }) =>
    anthropicMessages.answer(
      { utterances: [{ think: ['Add ', 'both.'], signature }, { say: ['7'] }], finish: 'stop', usage },
      streamed,
    ),
  );
  const stream = await ask('/chat/completions', chatBody());
  const [role, first, second, sealed, text, finishing] = deltasOf(stream) as readonly object[];
  assert.deepEqual(role, { role: 'assistant', content: '' });
  const detail = { type: 'reasoning.text', index: 0 };
  assert.partialDeepStrictEqual(first, {
    reasoning: 'Add ',
    reasoning_details: [{ ...detail, text: 'Add ' }],
  });
  assert.deepEqual(second, { reasoning: 'both.', reasoning_details: [{ ...detail, text: 'both.' }] });
  assert.deepEqual(sealed, { reasoning_details: [{ ...detail, format: 'anthropic-claude-v1', signature }] });
  assert.deepEqual(text, { content: '7' });
  assert.deepEqual(finishing, {});
  const last = dataOf(stream).at(-1);
  assert.partialDeepStrictEqual(last, {
    choices: [{ finish_reason: 'stop', native_finish_reason: 'end_turn' }],
    usage: { prompt_tokens: 12, completion_tokens: 9, total_tokens: 21, is_byok: false },
  });
  assert.ok(stream.endsWith('data: [DONE]\n\n'));
  assert.ok(accumulateChat(stream));
});

test('chat: two calls one after the other, and usage in a chunk of its own', async () => {
  const call = [
    { id: 'call_a', name: 'tide', arguments: ['{"port":"Brest"}'] },
    { id: 'call_b', name: 'tide', arguments: ['{"port":"Cork"}'] },
  ];
  claude.play(({ streamed }) =>
    anthropicMessages.answer({ utterances: [{ call }], finish: 'tool_calls', usage }, streamed),
  );
  const tools = [{ type: 'function', function: { name: 'tide', parameters: { type: 'object' } } }];
  const stream = await ask('/chat/completions', chatBody({ tools, stream_options: { include_usage: true } }));
  const head = (index: number, id: string) => ({
    tool_calls: [{ index, id, type: 'function', function: { name: 'tide', arguments: '' } }],
  });
  const piece = (index: number, text: string) => ({ tool_calls: [{ index, function: { arguments: text } }] });
  assert.deepEqual(deltasOf(stream), [
    { role: 'assistant', content: '' },
    head(0, 'call_a'),
    piece(0, '{"port":"Brest"}'),
    head(1, 'call_b'),
    piece(1, '{"port":"Cork"}'),
    {},
    undefined,
  ]);
  const [finishing, counted] = dataOf(stream).slice(-2);
  assert.equal(finishing.usage, undefined);
  assert.deepEqual([counted.choices, counted.usage.total_tokens], [[], 21]);
});

test('chat: a failure in the middle is one chunk with an error', async () => {
  const said = anthropicMessages.answer({ utterances: [{ say: ['The first'] }], finish: 'stop' }, true);
  const failure = anthropicMessages.failureEvent('rate_limit', 'Slow down.');
  assert.ok(failure);
  const at = said.body.findIndex((piece) => piece.includes('The first'));
  claude.play(() => ({ ...said, body: [...said.body.slice(0, at + 1), failure] }));
  const stream = await ask('/chat/completions', chatBody());
  const last = dataOf(stream).at(-1);
  assert.deepEqual(last.choices, [{ index: 0, delta: { content: '' }, finish_reason: 'error' }]);
  assert.equal(last.error.code, 429);
  assert.equal(last.error.metadata.error_type, 'rate_limit_exceeded');
  assert.ok(stream.endsWith('data: [DONE]\n\n'));
});

test('Messages: thinking, redacted thinking and a call, block by block', async () => {
  claude.play(({ streamed }) =>
    anthropicMessages.answer(
      {
        utterances: [
          { think: ['Need the tide.'], signature },
          { think: [], encrypted: 'RW13' },
          { call: [{ id: 'toolu_9', name: 'tide', arguments: ['{"port":', '"Brest"}'] }] },
        ],
        finish: 'tool_calls',
        usage: { ...usage, cacheRead: 5 },
      },
      streamed,
    ),
  );
  const stream = await ask('/messages', {
    ...chatBody(),
    max_tokens: 2_000,
    tools: [{ name: 'tide', input_schema: { type: 'object' } }],
  });
  const { events } = checkMessageStream(stream);
  const told = events.flatMap(({ type, index, content_block: block, delta }) => {
    if (type === 'content_block_start') return [[index, block]];
    return type === 'content_block_delta' ? [[index, delta]] : [];
  });
  assert.deepEqual(told, [
    [0, { type: 'thinking', thinking: '', signature: '' }],
    [0, { type: 'thinking_delta', thinking: 'Need the tide.' }],
    [0, { type: 'signature_delta', signature }],
    [1, { type: 'redacted_thinking', data: 'RW13' }],
    [2, { type: 'tool_use', id: 'toolu_9', name: 'tide', input: {}, caller: { type: 'direct' } }],
    [2, { type: 'input_json_delta', partial_json: '{"port":' }],
    [2, { type: 'input_json_delta', partial_json: '"Brest"}' }],
  ]);
  const kinds = events.map(({ type }) => type);
  assert.deepEqual(kinds.slice(0, 2), ['message_start', 'ping']);
  assert.deepEqual(kinds.slice(-2), ['message_delta', 'message_stop']);
  const ending = events.at(-2);
  assert.partialDeepStrictEqual(ending, {
    delta: { container: null, stop_details: null, stop_reason: 'tool_use', stop_sequence: null },
    usage: { input_tokens: 7, cache_read_input_tokens: 5, output_tokens: 9 },
  });
});

test("another maker's thought is left out for Claude and reported, and Claude's for that maker", async () => {
  const blob = 'c2VhbGVkIHRob3VnaHQ';
  gpt.play(({ streamed }) =>
    openaiResponses.answer(
      { utterances: [{ think: [], encrypted: blob }, { say: ['42'] }], finish: 'stop', usage },
      streamed,
    ),
  );
  claude.play(({ streamed }) =>
    anthropicMessages.answer(
      { utterances: [{ think: ['Hm.'], signature }, { say: ['42'] }], finish: 'stop', usage },
      streamed,
    ),
  );
  const question = { role: 'user', content: 'And now?' };
  for (const [from, to, provider, seal] of [
    ['acme/gpt', 'acme/claude', claude, blob],
    ['acme/claude', 'acme/gpt', gpt, signature],
  ] as const) {
    const body = { ...chatBody(), stream: false, max_tokens: 2_000 };
    const first = JSON.parse(await ask('/messages', { ...body, model: from }));
    const messages = [...body.messages, { role: 'assistant', content: first.content }, question];
    const next = JSON.parse(await ask('/messages', { ...body, model: to, messages }));
    const sent = JSON.stringify(provider.bodies.at(-1));
    assert.ok(!sent.includes(seal) && !sent.includes('hg1.'), sent);
    assert.match(JSON.stringify(next.service_metadata.pipeline), /messages\[1\]\.content\[0\]/);
  }
});
