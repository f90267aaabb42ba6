import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { chatChunk, dataEvent } from '../../../test/fake-upstream/chat-stream.ts';
import { failureOf, listen } from '../../../test/fake-upstream/collect.ts';
import { type Script, startFakeUpstream } from '../../../test/fake-upstream/fake-upstream.ts';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { joinPieces } from '../../../test/support/adapter-harness.ts';
import type { Delta } from '../../core/delta.ts';
import type { ErrorCode } from '../../core/errors.ts';
import { createHttpUpstream } from '../wire/http-upstream.ts';
import { createTransport } from '../wire/transport.ts';
import { openaiChatAdapter as adapter } from './openai-chat-adapter.ts';

const transport = createTransport();
const upstream = createHttpUpstream(adapter, transport);
after(() => transport.destroy());

/** The deltas of a provider on a real socket for these chunks, besides start and finish. */
async function hear(chunks: readonly string[], quirks: object = {}): Promise<Delta[]> {
  await using fake = await startFakeUpstream({
    steps: [...chunks, chatChunk({}, 'stop'), 'data: [DONE]\n\n'],
  });
  const provider = { baseUrl: fake.url, quirks: { ...quirks } };
  const { deltas, thrown } = await listen(upstream, createCall({ provider }));
  assert.equal(thrown, undefined);
  return joinPieces(JSON.parse(JSON.stringify(deltas))).slice(1, -1);
}

const thinking = (text: string) => ({ kind: 'thinking', block: 0, text });
const text = (words: string) => ({ kind: 'text', block: 1, text: words });

test('thoughts between tags are separated from the text where the quirk says so, also when chunks repeat', async () => {
  const pieces = ['<th', 'ink>', 'one ', 'two', '</thi', 'nk>\n', '\nyes', ' and', ' no'];
  const chunks = pieces.map((content) => chatChunk({ content }));
  assert.deepEqual(await hear(chunks, { thinkTags: true }), [thinking('one two'), text('yes and no')]);
  assert.deepEqual(await hear(chunks), [text(pieces.join(''))]);
  const open = [chatChunk({ content: '<think>cut' }), chatChunk({ content: ' off </' })];
  assert.deepEqual(await hear(open, { thinkTags: true }), [thinking('cut off </')]);
});

test('of several unrequested choices only the first is emitted', async () => {
  const choice = (index: number | null, content: string) =>
    dataEvent({ id: 'chatcmpl-1', choices: [{ index, delta: { content }, finish_reason: null }] });
  const both = dataEvent({
    choices: [
      { index: 1, delta: { content: 'four' } },
      { index: 0, delta: { content: ' three' } },
    ],
  });
  assert.deepEqual(await hear([choice(null, 'one'), choice(null, ' two')]), [text('one two')]);
  const chunks = [choice(0, 'one'), choice(1, 'two'), choice(0, ' two'), choice(1, 'three'), both];
  assert.deepEqual(await hear(chunks), [text('one two three')]);
});

test('pictures are items of their own, by data URL or by address', async () => {
  const picture = (url: unknown) => ({ type: 'image_url', image_url: url });
  const images = [picture({ url: 'data:image/png;base64,UE5H' }), picture('https://example.com/a.png'), {}];
  const item = (block: number, result: string) => [
    { kind: 'hosted', block, type: 'image_generation_call' },
    { kind: 'result', block, fields: { result } },
    { kind: 'end', block },
  ];
  assert.deepEqual(await hear([chatChunk({ content: 'Here:' }), chatChunk({ images })]), [
    text('Here:'),
    ...item(2, 'UE5H'),
    ...item(3, 'https://example.com/a.png'),
  ]);
});

test('reasoning that is repeated from the beginning is emitted once, and pieces completely', async () => {
  const detail = (told: string) => ({
    type: 'reasoning.text',
    id: 'reasoning-text-1',
    format: 'MiniMax-response-v1',
    index: 0,
    text: told,
  });
  const streams = [
    ['The user', 'The user greets', 'The user greets me.', 'The user greets me.'],
    ['The user', ' greets', ' me.'],
  ];
  for (const told of streams) {
    const chunks = told.map((words) => chatChunk({ content: '', reasoning_details: [detail(words)] }));
    const heard = await hear([...chunks, chatChunk({ content: 'Hello.' })], { thinkTags: true });
    assert.deepEqual(heard, [thinking('The user greets me.'), text('Hello.')]);
  }
});

test('a reasoning part of the content is thought, its summary joined', async () => {
  const summary = [
    { type: 'summary_text', text: 'hm ' },
    { type: 'summary_text', text: 'ok' },
  ];
  const content = [
    { type: 'reasoning', summary },
    { type: 'text', text: 'yes' },
  ];
  assert.deepEqual(await hear([chatChunk({ content })]), [thinking('hm ok'), text('yes')]);
});

test('calls all numbered -1 are distinguished by their ids', async () => {
  const call = (id: string, args: string) =>
    chatChunk({ tool_calls: [{ index: -1, id, function: { name: 'look', arguments: args } }] });
  const told = (block: number, callId: string, args: string) => [
    { kind: 'call', block, form: 'function', name: 'look', callId },
    { kind: 'arguments', block, text: args },
  ];
  assert.deepEqual(await hear([call('a', '{"x":1}'), call('b', '{"x":2}')]), [
    ...told(2, 'a', '{"x":1}'),
    ...told(3, 'b', '{"x":2}'),
  ]);
});

const failures: readonly (readonly [string, Script, ErrorCode])[] = [
  [
    'an object that says it is an error',
    { whole: '{"object":"error","message":"no","code":429}' },
    'upstream_rate_limit',
  ],
  [
    'a message and a code beside no choice',
    { whole: '{"code":503,"message":"busy"}' },
    'provider_overloaded',
  ],
  ['a base response', { whole: '{"base_resp":{"status_code":1004,"status_msg":"no"}}' }, 'provider_failed'],
  ['an error code', { whole: '{"error_code":401,"error_msg":"bad key"}' }, 'upstream_credential'],
  [
    'an error inside the choice',
    { whole: '{"choices":[{"error":{"code":429},"message":{}}]}' },
    'upstream_rate_limit',
  ],
];

for (const [name, script, code] of failures) {
  test(`a failure with a successful status: ${name}, whole and streamed`, async () => {
    const steps = [chatChunk({ content: 'a' }), `data: ${script.whole}\n\n`];
    await using fake = await startFakeUpstream({ ...script, steps });
    for (const streamed of [false, true]) {
      const error = await failureOf(upstream, createCall({ provider: { baseUrl: fake.url }, streamed }));
      assert.equal(error.code, code, String(streamed));
    }
  });
}

const endings: readonly (readonly [string, string | ErrorCode])[] = [
  ['tool_use', 'tool_calls'],
  ['MAX_TOKENS', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['sensitive', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['content_filter: OTHER', 'content_filter'],
  ['eos', 'stop'],
  ['network_error', 'provider_failed'],
  ['abort', 'provider_failed'],
];

for (const [native, expected] of endings) {
  test(`an answer that ends with ${native}`, async () => {
    await using fake = await startFakeUpstream({
      steps: [chatChunk({ content: 'a' }, native), 'data: [DONE]\n\n'],
    });
    const call = createCall({ provider: { baseUrl: fake.url } });
    if (expected === 'provider_failed') assert.equal((await failureOf(upstream, call)).code, expected);
    else {
      const { deltas } = await listen(upstream, call);
      const finish = deltas.find((delta) => delta.kind === 'finish');
      assert.equal(finish?.reason, expected);
    }
  });
}

test('tiers in a provider’s own words, and of usage in every chunk the input first and the last whole', async () => {
  const usage = (count: number) => ({ prompt_tokens: 3, completion_tokens: count });
  const chunks = [1, 2].map((count) =>
    chatChunk({ content: 'a' }, null, { usage: usage(count), service_tier: 'performance' }),
  );
  assert.deepEqual(await hear(chunks), [
    { kind: 'usage', usage: { uncachedInput: 3 } },
    { kind: 'tier', tier: 'priority' },
    text('aa'),
    { kind: 'usage', usage: { uncachedInput: 3, output: 2 } },
  ]);
});

test('duplicated ends and events after the end change nothing', async () => {
  const twice = [
    chatChunk({ content: 'a' }),
    chatChunk({}, 'stop'),
    'data: [DONE]\n\n',
    dataEvent({ error: 'late' }),
  ];
  await using fake = await startFakeUpstream({ steps: twice });
  const { deltas, thrown } = await listen(upstream, createCall({ provider: { baseUrl: fake.url } }));
  assert.equal(thrown, undefined);
  assert.equal(deltas.filter(({ kind }) => kind === 'finish').length, 1);
});
