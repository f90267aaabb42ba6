import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatChunk, chatStream, dataEvent } from '../../../test/fake-upstream/chat-stream.ts';
import { type CallChanges, createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { decodeStream } from '../../../test/support/adapter-harness.ts';
import type { Delta } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import { openaiChatAdapter as adapter } from './openai-chat-adapter.ts';

const done = 'data: [DONE]\n\n';
const start = { kind: 'start', upstreamId: 'chatcmpl-1' };
const stop = { kind: 'finish', reason: 'stop', native: 'stop' };

function decode(chunks: readonly string[], changes: CallChanges = {}): Delta[] {
  return decodeStream(adapter, chunks.join(''), changes);
}

/** The deltas of one answer besides its start and finish. */
function said(...deltas: object[]): Delta[] {
  const chunks = [...deltas.map((delta) => chatChunk(delta)), chatChunk({}, 'stop'), done];
  return decode(chunks).slice(1, -1);
}

function failure(...chunks: string[]): HeadgateError {
  try {
    decode(chunks);
  } catch (thrown) {
    if (thrown instanceof HeadgateError) return thrown;
    throw thrown;
  }
  return assert.fail('nothing was thrown');
}

test('text, usage and finish, and nothing empty', () => {
  const usage = { uncachedInput: 9, output: 2 };
  assert.deepEqual(decode(chatStream('Good ', 'day.')), [
    start,
    { kind: 'text', block: 1, text: 'Good ' },
    { kind: 'text', block: 1, text: 'day.' },
    { kind: 'usage', usage },
    stop,
  ]);
});

test('reasoning, under either name, has a block of its own and text keeps its block after it', () => {
  assert.deepEqual(
    said({ content: 'a' }, { reasoning_content: 'b' }, { reasoning: 'c', content: '' }, { content: 'd' }),
    [
      { kind: 'text', block: 1, text: 'a' },
      { kind: 'thinking', block: 0, text: 'b' },
      { kind: 'thinking', block: 0, text: 'c' },
      { kind: 'text', block: 1, text: 'd' },
    ],
  );
});

test('content in parts mixes reasoning and text', () => {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] };
  assert.deepEqual(said({ content: [thinking, { type: 'text', text: 'a' }] }), [
    { kind: 'thinking', block: 0, text: 'hm' },
    { kind: 'text', block: 1, text: 'a' },
  ]);
});

test('reasoning in pieces is read once, its blobs always', () => {
  const details = [
    { type: 'reasoning.text', text: 'hm', signature: 'sig', format: 'anthropic-claude-v1' },
    { type: 'reasoning.summary', summary: 'in short' },
    { type: 'reasoning.encrypted', data: 'blob', format: 'their-own-v9' },
  ];
  const seals = [
    { kind: 'seal', block: 0, format: 'anthropic-claude-v1', signature: 'sig' },
    { kind: 'seal', block: 0, format: 'unknown', encrypted: 'blob' },
  ];
  assert.deepEqual(said({ reasoning: 'hm', reasoning_details: details }), [
    { kind: 'thinking', block: 0, text: 'hm' },
    ...seals,
  ]);
  assert.deepEqual(said({ reasoning_details: details }), [
    { kind: 'thinking', block: 0, text: 'hm' },
    seals[0],
    { kind: 'summary', block: 0, text: 'in short' },
    seals[1],
  ]);
});

test('a refusal, and an answer sent whole', () => {
  assert.deepEqual(said({ refusal: 'No.' }), [{ kind: 'refusal', block: 1, text: 'No.' }]);
  const whole = dataEvent({
    id: 'chatcmpl-1',
    choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }],
  });
  assert.deepEqual(decode([whole]), [start, { kind: 'text', block: 1, text: 'Hi' }, stop]);
});

test('a whole message beside what was streamed is not said twice', () => {
  const both = dataEvent({ choices: [{ message: { content: 'Good day.' }, finish_reason: 'stop' }] });
  const texts = decode([chatChunk({ content: 'Good day.' }), both]).filter((delta) => delta.kind === 'text');
  assert.equal(texts.length, 1);
});

test('log probabilities go with the text they belong to', () => {
  const token = (text: string) => ({ token: text, logprob: -0.5, bytes: null });
  const logprobs = (text: string) => ({ content: [{ ...token(text), top_logprobs: [token(text)] }] });
  const chunk = (content: string, text: string) =>
    dataEvent({ id: 'chatcmpl-1', choices: [{ delta: { content }, logprobs: logprobs(text) }] });
  const entry = (text: string, bytes: number[]) => {
    const told = { token: text, logprob: -0.5, bytes };
    return { ...told, top_logprobs: [told] };
  };
  assert.deepEqual(decode([chunk('', 'ä'), chunk('äb', 'b'), chatChunk({}, 'stop')]).slice(1, -1), [
    { kind: 'text', block: 1, text: 'äb', logprobs: [entry('ä', [195, 164]), entry('b', [98])] },
  ]);
});

test('log probabilities of thoughts and of calls are not emitted with the text', () => {
  const weigh = (...tokens: string[]) => ({
    content: tokens.map((token) => ({ token, logprob: -1, bytes: null })),
  });
  const weighed = (delta: object, token: string) =>
    dataEvent({ choices: [{ delta, logprobs: weigh(token) }] });
  const whole = (message: object, ...tokens: string[]) =>
    dataEvent({ choices: [{ message, logprobs: weigh(...tokens) }] });
  const call = [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }];
  const apart = [weighed({ reasoning_content: 'Hm' }, 'Hm'), weighed({ content: 'Yes' }, 'Yes')];
  const tagged = ['<think>', 'Hm', '</think>', '\n', 'Yes'];
  for (const chunks of [
    apart,
    tagged.map((content) => weighed({ content }, content)),
    [weighed({ tool_calls: call }, '{}'), weighed({ content: 'Yes' }, 'Yes')],
    [whole({ reasoning_content: 'Yes, Hm', content: 'Yes' }, 'Yes', ', Hm', 'Yes')],
    [whole({ content: tagged.join('') }, ...tagged)],
  ]) {
    const changes = { provider: { quirks: { thinkTags: true } } };
    const deltas = decode([...chunks, chatChunk({}, 'stop'), done], changes);
    const texts = deltas.flatMap((delta) => (delta.kind === 'text' ? [delta] : []));
    assert.deepEqual(
      texts.map(({ text, logprobs }) => [text, logprobs?.map(({ token }) => token)]),
      [['Yes', ['Yes']]],
    );
  }
});

test('citations become annotations', () => {
  const citation = { url: 'https://example.com', title: 'T', start_index: 1, end_index: 4, content: 'c' };
  const bare = { url: 'https://example.com/2' };
  const wire = [{ type: 'url_citation', url_citation: citation }, { url_citation: bare }, { type: 'file' }];
  assert.deepEqual(said({ annotations: wire }), [
    { kind: 'annotation', block: 1, annotation: { type: 'url_citation', ...citation } },
    {
      kind: 'annotation',
      block: 1,
      annotation: { type: 'url_citation', ...bare, title: '', start_index: 0, end_index: 0 },
    },
  ]);
});

test('finish reasons in the gateway’s words, with the provider’s own', () => {
  const reasons = {
    stop: 'stop',
    length: 'length',
    max_tokens: 'length',
    model_length: 'length',
    content_filter: 'content_filter',
    eos: 'stop',
  };
  for (const [native, reason] of Object.entries(reasons)) {
    assert.deepEqual(decode([chatChunk({ content: 'a' }, native), done]).at(-1), {
      kind: 'finish',
      reason,
      native,
    });
  }
});

test('counts of nothing are no counts, so that an answer is not free', () => {
  const none = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const last = dataEvent({ id: 'chatcmpl-1', choices: [], usage: none });
  const deltas = decode([chatChunk({ content: 'Paris.' }), chatChunk({}, 'stop'), last, done]);
  assert.deepEqual(
    deltas.filter(({ kind }) => kind === 'usage'),
    [],
  );
});

test('usage may come with the finish, after it, in the choice or repeated: the last counts, once', () => {
  const counts = (completion_tokens: number) => ({ prompt_tokens: 5, completion_tokens });
  const streams = [
    [chatChunk({ content: 'a' }, 'stop', { usage: counts(3) }), done],
    [chatChunk({ content: 'a' }, 'stop'), dataEvent({ choices: [], usage: counts(3) })],
    [dataEvent({ choices: [{ delta: { content: 'a' }, finish_reason: 'stop', usage: counts(3) }] }), done],
    [chatChunk({ content: 'a' }, 'stop', { x_groq: { usage: counts(3) } }), done],
    [1, 2, 3].map((count) => chatChunk({ content: 'a' }, 'stop', { usage: counts(count) })),
  ];
  for (const chunks of streams) {
    const usages = decode(chunks).filter((delta) => delta.kind === 'usage');
    assert.deepEqual(usages, [{ kind: 'usage', usage: { uncachedInput: 5, output: 3 } }]);
  }
});

test('the tier that served, where it has a public name', () => {
  const tiers = {
    default: 'default',
    standard: 'default',
    flex: 'flex',
    priority: 'priority',
    auto: undefined,
  };
  for (const [service_tier, tier] of Object.entries(tiers)) {
    const deltas = decode([chatChunk({ content: 'a' }, 'stop', { service_tier }), done]);
    assert.equal(deltas.find((delta) => delta.kind === 'tier')?.tier, tier);
  }
});

test('a stream is whole with a reason or the end mark, and broken without both', () => {
  assert.deepEqual(decode([chatChunk({ content: 'a' }, 'stop')]).at(-1), stop);
  assert.deepEqual(decode([chatChunk({ content: 'a' }), 'data:[DONE]']).at(-1), {
    kind: 'finish',
    reason: 'stop',
  });
  assert.equal(failure(chatChunk({ content: 'a' })).code, 'provider_failed');
  assert.equal(failure(done).code, 'provider_failed');
  assert.equal(failure('').code, 'provider_failed');
});

test('nothing counts after the end mark, and blank events are nothing', () => {
  const decoder = ['data: \n\n', chatChunk({ content: 'a' }, 'stop'), done];
  assert.deepEqual(decode(decoder), [start, { kind: 'text', block: 1, text: 'a' }, stop]);
});

test('failures inside the stream', () => {
  const report = (error: unknown) => failure(chatChunk({ content: 'a' }), dataEvent({ error }));
  assert.equal(report({ message: 'busy', code: 503 }).code, 'provider_overloaded');
  assert.equal(report({ message: 'slow', code: '429' }).code, 'upstream_rate_limit');
  assert.equal(report({ message: 'x', type: 'exceed_context_size_error' }).code, 'upstream_context_length');
  assert.equal(report('broken').code, 'provider_failed');
  assert.equal(failure('event: error\ndata: {"message":"x","code":429}\n\n').code, 'upstream_rate_limit');
  assert.equal(failure(chatChunk({ content: 'a' }, 'error'), done).code, 'provider_failed');
  assert.equal(failure(chatChunk({}, 'insufficient_system_resource'), done).code, 'provider_overloaded');
  assert.equal(failure('data: oops\n\n').code, 'provider_failed');
});

test('a reason beside every chunk is no end, nor is null as a word', () => {
  const decoder = adapter.createDecoder(createCall());
  const read = (...chunks: string[]) =>
    chunks.map((chunk) => {
      decoder.decode({ event: undefined, data: chunk.replace('data: ', '') }, []);
      return decoder.ending;
    });
  const word = chatChunk({ content: 'a ' }, 'stop');
  const told = read(
    chatChunk({ content: 'a' }, 'null'),
    chatChunk({}, 'null'),
    word,
    word,
    chatChunk({}, 'stop'),
  );
  assert.deepEqual(told, [false, false, true, false, false]);
  assert.throws(() => decode([chatChunk({ content: 'a' }, 'null')]), /before the answer was complete/);
});

test('the endpoint’s limit bounds what a total may say of the output', () => {
  const usage = { prompt_tokens: 20, completion_tokens: 4, total_tokens: 90_000 };
  const chunks = [chatChunk({ content: 'At 6.' }), chatChunk({}, 'stop', { usage }), done];
  const outputOf = (maxCompletionTokens: number) =>
    decode(chunks, { endpoint: { maxCompletionTokens } }).flatMap((delta) =>
      delta.kind === 'usage' ? delta.usage.output : [],
    );
  assert.deepEqual(outputOf(8192), [4]);
  assert.deepEqual(outputOf(131_072), [89_980]);
});
