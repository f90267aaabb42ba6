import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chatChunk, dataEvent } from '../../../test/fake-upstream/chat-stream.ts';
import type { CallChanges } from '../../../test/fake-upstream/upstream-call.ts';
import { decodeStream, decodeWhole, mergeDeltas } from '../../../test/support/adapter-harness.ts';
import { openaiChatAdapter as adapter } from './openai-chat-adapter.ts';

/** An answer that can be sent in either form. */
interface Answer {
  readonly thinking: readonly string[];
  readonly tokens: readonly string[];
  readonly weighed: boolean;
  readonly refusal: readonly string[];
  readonly annotations: readonly object[];
  readonly calls: readonly { readonly id: string; readonly name: string; readonly text: string }[];
  readonly pieceSize: number;
  readonly usage: object | undefined;
  readonly finish: string;
}

const words = fc.array(fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' }), { maxLength: 4 });
const count = fc.nat({ max: 9999 });
const functionCall = fc.record({ name: fc.constantFrom('clock', 'weather'), text: fc.json() });
const answers: fc.Arbitrary<Answer> = fc.record({
  thinking: words,
  tokens: words,
  weighed: fc.boolean(),
  refusal: words,
  annotations: fc.array(fc.record({ url_citation: fc.record({ url: fc.webUrl(), title: fc.string() }) }), {
    maxLength: 2,
  }),
  calls: fc
    .array(functionCall, { maxLength: 4 })
    .map((calls) => calls.map((call, index) => ({ id: `call_${index}`, ...call }))),
  pieceSize: fc.integer({ min: 1, max: 9 }),
  usage: fc.option(
    fc.record({
      prompt_tokens: count,
      completion_tokens: count,
      completion_tokens_details: fc.record({ reasoning_tokens: count }),
    }),
    { nil: undefined },
  ),
  finish: fc.constantFrom('stop', 'tool_calls', 'length', 'content_filter'),
});

const changes: CallChanges = { request: { tools: [{ kind: 'function', name: 'clock' }] } };

test('the same answer as a stream and as one body gives the same deltas', () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const streamed = decodeStream(adapter, streamOf(answer).join(''), changes);
      assert.deepEqual(mergeDeltas(decodeWhole(adapter, bodyOf(answer), changes)), mergeDeltas(streamed));
    }),
    { numRuns: 500 },
  );
});

function streamOf(answer: Answer): string[] {
  const { thinking, tokens, refusal, annotations, usage, finish } = answer;
  return [
    chatChunk({ role: 'assistant', content: '' }),
    ...thinking.map((piece) => chatChunk({ reasoning_content: piece })),
    ...tokens.map((token) =>
      dataEvent({ choices: [{ delta: { content: token }, logprobs: weigh(answer, [token]) }] }),
    ),
    ...refusal.map((piece) => chatChunk({ refusal: piece })),
    ...annotations.map((annotation) => chatChunk({ annotations: [annotation] })),
    ...callPieces(answer).map((piece) => chatChunk({ tool_calls: [piece] })),
    chatChunk({}, finish),
    ...(usage ? [dataEvent({ choices: [], usage })] : []),
    'data: [DONE]\n\n',
  ];
}

/** The calls in fragments, those of parallel calls in turn. */
function callPieces({ calls, pieceSize }: Answer): object[] {
  const pieces = calls.map(({ id, name, text }, index) => {
    const parts = text.match(new RegExp(`[^]{1,${pieceSize}}`, 'g')) ?? [];
    const opening = { index, id, type: 'function', function: { name, arguments: '' } };
    return [opening, ...parts.map((part) => ({ index, function: { arguments: part } }))];
  });
  const longest = Math.max(0, ...pieces.map((of) => of.length));
  return Array.from({ length: longest }, (_, turn) =>
    pieces.flatMap((of) => of.slice(turn, turn + 1)),
  ).flat();
}

function bodyOf(answer: Answer) {
  const { thinking, tokens, refusal, annotations, calls, usage, finish } = answer;
  const message = {
    role: 'assistant',
    content: tokens.length > 0 ? tokens.join('') : null,
    refusal: refusal.join('') || null,
    reasoning_content: thinking.join(''),
    annotations,
    tool_calls: calls.map(({ id, name, text }) => ({ id, function: { name, arguments: text } })),
  };
  const choice = { index: 0, message, logprobs: weigh(answer, tokens), finish_reason: finish };
  return { id: 'chatcmpl-1', object: 'chat.completion', choices: [choice], usage };
}

function weigh({ weighed }: Answer, tokens: readonly string[]): object | null {
  const told = (token: string) => ({ token, logprob: -0.5, bytes: [...Buffer.from(token)] });
  return weighed ? { content: tokens.map((token) => ({ ...told(token), top_logprobs: [told('x')] })) } : null;
}

test('calls are distinguished by their index, even with the same id or none', () => {
  const call = (args: string, id?: string) => ({ id, function: { name: 'clock', arguments: args } });
  for (const id of ['call_0', undefined]) {
    const message = { tool_calls: [call('', id), call('{"a":1}', id), call('{"b":2}', id)] };
    const deltas = decodeWhole(adapter, { choices: [{ message, finish_reason: 'stop' }] });
    const blocks = deltas.flatMap((delta) => (delta.kind === 'call' ? [delta.block] : []));
    assert.deepEqual(blocks, [2, 3, 4]);
    assert.equal(deltas.at(-1)?.kind === 'finish' && deltas.at(-1), deltas.at(-1));
    assert.deepEqual(deltas.at(-1), { kind: 'finish', reason: 'tool_calls', native: 'stop' });
  }
});

test('content in parts, reasoning details, a custom call and counts wherever they stand', () => {
  const message = {
    content: [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'a' },
    ],
    reasoning_details: [{ type: 'reasoning.encrypted', data: 'blob' }],
    tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'patch', input: 'x' } }],
  };
  const usage = { prompt_tokens: 5, completion_tokens: 3 };
  const answer = { service_tier: 'flex', x_groq: { usage }, choices: [{ message, finish_reason: null }] };
  assert.deepEqual(decodeWhole(adapter, answer), [
    { kind: 'start' },
    { kind: 'thinking', block: 0, text: 'hm' },
    { kind: 'seal', block: 0, format: 'unknown', encrypted: 'blob' },
    { kind: 'text', block: 1, text: 'a' },
    { kind: 'call', block: 2, form: 'custom', name: 'patch', callId: 'c' },
    { kind: 'arguments', block: 2, text: 'x' },
    { kind: 'usage', usage: { uncachedInput: 5, output: 3 } },
    { kind: 'tier', tier: 'flex' },
    { kind: 'finish', reason: 'tool_calls' },
  ]);
});
