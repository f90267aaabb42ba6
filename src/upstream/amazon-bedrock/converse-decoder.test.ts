import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConverseResponse, ConverseStreamOutput } from '@aws-sdk/client-bedrock-runtime';
import fc from 'fast-check';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { decodeWhole, joinPieces, mergeDeltas } from '../../../test/support/adapter-harness.ts';
import { binaryEvent, binaryException } from '../../../test/support/binary-message.ts';
import type { Delta } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { JsonObject } from '../../util/json.ts';
import { MessageParser } from '../wire/message-parser.ts';
import { amazonBedrockAdapter as adapter } from './amazon-bedrock-adapter.ts';

const claude = { endpoint: { upstreamModel: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0' } };
const format = 'anthropic-claude-v1';

function event(type: keyof ConverseStreamOutput & string, payload: JsonObject): Buffer {
  // The service pads every event so that its length reveals nothing.
  return binaryEvent(type, { ...payload, p: 'abcdefghijklm' });
}
const piece = (contentBlockIndex: number, delta: JsonObject) =>
  event('contentBlockDelta', { contentBlockIndex, delta });
const begin = (contentBlockIndex: number, start: JsonObject) =>
  event('contentBlockStart', { contentBlockIndex, start });
const stop = (contentBlockIndex: number) => event('contentBlockStop', { contentBlockIndex });
const ended = (stopReason = 'end_turn', rest: JsonObject = {}) => [
  event('messageStop', { stopReason }),
  event('metadata', { metrics: { latencyMs: 9 }, ...rest }),
];
const usage = {
  inputTokens: 11,
  outputTokens: 15,
  totalTokens: 73,
  cacheReadInputTokens: 7,
  cacheWriteInputTokens: 40,
  cacheDetails: [
    { ttl: '1h', inputTokens: 30 },
    { ttl: '5m', inputTokens: 10 },
  ],
};

function decode(bytes: Buffer, sizes: readonly number[] = [bytes.length]): Delta[] {
  const deltas: Delta[] = [];
  const decoder = adapter.createDecoder(createCall(claude));
  const parser = new MessageParser((message) => decoder.decode(message, deltas), 2 ** 20);
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    parser.push([bytes.subarray(at, at + size)]);
    at += size;
  }
  parser.end();
  decoder.close(deltas);
  return JSON.parse(JSON.stringify(deltas));
}

const citation = {
  title: 'Tides',
  source: 'https://a.test',
  sourceContent: [{ text: 'high ' }, { text: 'at noon' }],
  location: { web: { url: 'https://a.test/tides', domain: 'a.test' } },
};
const conversation = Buffer.concat([
  event('messageStart', { role: 'assistant' }),
  piece(0, { reasoningContent: { text: 'Let me ' } }),
  piece(0, { reasoningContent: { text: 'sée 😀.' } }),
  piece(0, { reasoningContent: { signature: 'SIGNED' } }),
  stop(0),
  piece(1, { reasoningContent: { redactedContent: 'QkxPQg==' } }),
  stop(1),
  piece(2, { text: 'They say 😀 ' }),
  stop(2),
  piece(3, { text: 'high at noon' }),
  piece(3, { citation }),
  stop(3),
  piece(4, { text: '.' }),
  stop(4),
  begin(5, { toolUse: { toolUseId: 'tooluse_1', name: 'get_tide' } }),
  piece(5, { toolUse: { input: '{"port":"Br' } }),
  piece(5, { toolUse: { input: 'est"}' } }),
  stop(5),
  begin(6, { toolUse: { toolUseId: 'tooluse_2', name: 'clock' } }),
  stop(6),
  ...ended('tool_use', { usage, serviceTier: { type: 'priority' } }),
]);
const said: Delta[] = [
  { kind: 'start' },
  { kind: 'thinking', block: 0, text: 'Let me sée 😀.' },
  { kind: 'seal', block: 0, format, signature: 'SIGNED' },
  { kind: 'end', block: 0 },
  { kind: 'seal', block: 1, format, encrypted: 'QkxPQg==' },
  { kind: 'end', block: 1 },
  { kind: 'text', block: 2, text: 'They say 😀 high at noon' },
  {
    kind: 'annotation',
    block: 2,
    annotation: {
      type: 'url_citation',
      url: 'https://a.test/tides',
      title: 'Tides',
      start_index: 12,
      end_index: 24,
      content: 'high at noon',
    },
  },
  { kind: 'text', block: 2, text: '.' },
  { kind: 'end', block: 2 },
  { kind: 'call', block: 5, form: 'function', name: 'get_tide', callId: 'tooluse_1' },
  { kind: 'arguments', block: 5, text: '{"port":"Brest"}' },
  { kind: 'end', block: 5 },
  { kind: 'call', block: 6, form: 'function', name: 'clock', callId: 'tooluse_2' },
  { kind: 'end', block: 6 },
  { kind: 'tier', tier: 'priority' },
  {
    kind: 'usage',
    usage: { uncachedInput: 11, cacheRead: 7, cacheWrite: 10, cacheWriteLong: 30, output: 15 },
  },
  { kind: 'finish', reason: 'tool_calls', native: 'tool_use' },
];

test('a turn of thoughts, cited text and calls', () => {
  assert.deepEqual(joinPieces(decode(conversation)), said);
  assert.equal('They say 😀 high at noon'.slice(12, 24), 'high at noon');
});

test('how the bytes arrive makes no difference', () => {
  for (let cut = 1; cut < conversation.length; cut++) {
    const deltas = joinPieces(decode(conversation, [cut, conversation.length]));
    if (JSON.stringify(deltas) !== JSON.stringify(said)) assert.fail(`cut at byte ${cut}`);
  }
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }), (sizes) => {
      assert.deepEqual(joinPieces(decode(conversation, sizes)), said);
    }),
    { numRuns: 20 },
  );
});

test('an unstreamed answer gives the same deltas', () => {
  const answer = {
    output: {
      message: {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'Let me sée 😀.', signature: 'SIGNED' } } },
          { reasoningContent: { redactedContent: 'QkxPQg==' } },
          { text: 'They say 😀 ' },
          { citationsContent: { content: [{ text: 'high at noon' }], citations: [citation] } },
          { text: '.' },
          { toolUse: { toolUseId: 'tooluse_1', name: 'get_tide', input: { port: 'Brest' } } },
          { toolUse: { toolUseId: 'tooluse_2', name: 'clock', input: {} } },
        ],
      },
    },
    stopReason: 'tool_use',
    usage,
    metrics: { latencyMs: 9 },
    serviceTier: { type: 'priority' },
  } satisfies { readonly [Key in keyof ConverseResponse]?: unknown };
  assert.deepEqual(mergeDeltas(decodeWhole(adapter, answer, claude)), mergeDeltas(said));
});

test('repeated events change nothing but repeated text', () => {
  const events = [
    event('messageStart', { role: 'assistant' }),
    begin(0, { toolUse: { toolUseId: 't', name: 'f' } }),
    piece(0, { toolUse: { input: '{}' } }),
    stop(0),
    ...ended('tool_use'),
  ];
  const repeated = events.flatMap((bytes, index) => (index === 2 ? [bytes] : [bytes, bytes]));
  assert.deepEqual(decode(Buffer.concat(repeated)), decode(Buffer.concat(events)));
});

test('events in any order are a legal answer or a failed provider', () => {
  const events = [
    event('messageStart', { role: 'assistant' }),
    piece(0, { text: 'a' }),
    stop(0),
    begin(1, { toolUse: { toolUseId: 't', name: 'f' } }),
    piece(1, { toolUse: { input: '{}' } }),
    stop(1),
    binaryEvent('surprise', { anything: [1] }),
    piece(2, { somethingNew: {} }),
    ...ended('tool_use'),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(events), (shuffled) => {
      try {
        const deltas = decode(Buffer.concat(shuffled));
        assert.equal(deltas.filter(({ kind }) => kind === 'finish').length, 1);
      } catch (thrown) {
        assert.ok(thrown instanceof HeadgateError && thrown.code === 'provider_failed');
      }
    }),
    { numRuns: 200 },
  );
});

test('why the model stopped', () => {
  const reasons = [
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'tool_calls'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
    ['something_new', 'stop'],
  ] as const;
  for (const [native, reason] of reasons) {
    assert.deepEqual(decode(Buffer.concat(ended(native))).at(-1), { kind: 'finish', reason, native });
  }
  assert.throws(() => decode(Buffer.concat(ended('malformed_tool_use'))), { code: 'provider_failed' });
});

test('an answer without counts ends all the same, one without a reason does not', () => {
  const [stopped] = ended('end_turn');
  assert.ok(stopped);
  assert.deepEqual(decode(stopped), [{ kind: 'finish', reason: 'stop', native: 'end_turn' }]);
  assert.throws(() => decode(piece(0, { text: 'a' })), { code: 'provider_failed' });
  assert.throws(() => decode(Buffer.alloc(0)), { code: 'provider_failed' });
  assert.throws(() => decodeWhole(adapter, {}), { code: 'provider_failed' });
});

test('a picture is an item', () => {
  const bytes = Buffer.from('a picture');
  const deltas = decode(
    Buffer.concat([
      begin(0, { image: { format: 'png' } }),
      piece(0, { image: { source: { bytes: bytes.subarray(0, 4).toString('base64') } } }),
      piece(0, { image: { source: { bytes: bytes.subarray(4).toString('base64') } } }),
      stop(0),
      ...ended(),
    ]),
  );
  assert.deepEqual(deltas.slice(0, 4), [
    { kind: 'hosted', block: 0, type: 'image_generation_call' },
    { kind: 'stage', block: 0, stage: 'generating' },
    { kind: 'result', block: 0, fields: { result: bytes.toString('base64') } },
    { kind: 'end', block: 0 },
  ]);
});

test('exceptions inside the stream become the corresponding errors', () => {
  const cases = [
    ['throttlingException', {}, 'upstream_rate_limit'],
    ['serviceUnavailableException', {}, 'provider_overloaded'],
    ['internalServerException', {}, 'provider_failed'],
    ['modelStreamErrorException', { originalStatusCode: 500 }, 'provider_failed'],
    ['modelStreamErrorException', { originalStatusCode: 529 }, 'provider_overloaded'],
    ['modelTimeoutException', {}, 'provider_timeout'],
    ['validationException', { message: 'The field is wrong.' }, 'upstream_invalid_request'],
    ['validationException', { message: 'Input is too long for requested model.' }, 'upstream_context_length'],
    ['brandNewException', {}, 'provider_failed'],
  ] as const;
  for (const [name, payload, code] of cases) {
    const bytes = Buffer.concat([piece(0, { text: 'a' }), binaryException(name, payload)]);
    assert.throws(() => decode(bytes), { code }, name);
  }
});
