import { test } from 'node:test';
import fc from 'fast-check';
import { binaryEvent, binaryException } from '../../../test/support/binary-message.ts';
import { readsCleanly, withJunk } from '../../../test/support/reads-cleanly.ts';
import { amazonBedrockAdapter as adapter } from './amazon-bedrock-adapter.ts';

const piece = (contentBlockIndex: number, delta: object) =>
  ['contentBlockDelta', { contentBlockIndex, delta }] as const;
const begin = (contentBlockIndex: number, start: object) =>
  ['contentBlockStart', { contentBlockIndex, start }] as const;
const stop = (contentBlockIndex: number) => ['contentBlockStop', { contentBlockIndex }] as const;

/** One answer with everything in it. */
const said: readonly (readonly [string, object])[] = [
  ['messageStart', { role: 'assistant' }],
  piece(0, { reasoningContent: { text: 'Hm 漢字' } }),
  piece(0, { reasoningContent: { signature: 'S' } }),
  stop(0),
  piece(1, { reasoningContent: { redactedContent: 'QQ==' } }),
  stop(1),
  piece(2, { text: 'Noon ' }),
  stop(2),
  piece(3, { text: '👩‍🚀' }),
  piece(3, { citation: { title: 'T', location: { web: { url: 'https://a.test' } } } }),
  stop(3),
  begin(4, { toolUse: { toolUseId: 't', name: 'f' } }),
  piece(4, { toolUse: { input: '{"a":' } }),
  piece(4, { toolUse: { input: '1}' } }),
  stop(4),
  begin(5, { image: { format: 'png' } }),
  piece(5, { image: { source: { bytes: 'QUJD' } } }),
  stop(5),
  ['somethingNew', { contentBlockIndex: 2 }],
  ['messageStop', { stopReason: 'tool_use' }],
  ['metadata', { usage: { inputTokens: 1, outputTokens: 2 } }],
];
const events = said.map(([type, payload]) => binaryEvent(type, payload));

const changes = { endpoint: { upstreamModel: 'anthropic.claude-opus-4-7' } };
const read = (chunks: readonly Buffer[]) => readsCleanly(adapter, chunks, changes);

test('whole, it is a legal stream', () => read(events));

test('events repeated, left out or in another order are a legal stream or a clean error', () => {
  const chosen = fc.array(fc.nat(events.length), { maxLength: 40 });
  const failing = binaryException('throttlingException', {});
  fc.assert(
    fc.property(chosen, (order) => read(order.map((index) => events[index] ?? failing))),
    { numRuns: 400 },
  );
  fc.assert(fc.property(fc.shuffledSubarray(events, { minLength: events.length }), read), {
    numRuns: 200,
  });
});

test('bytes spoilt or cut off are a legal stream or a clean error', () => {
  const whole = Buffer.concat(events);
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, value, end) => {
      const bytes = Buffer.from(whole);
      bytes[at] = value;
      read([bytes.subarray(0, end)]);
    }),
    { numRuns: 400 },
  );
});

test('members of any type are a legal stream or a clean error', () => {
  const junk = fc.oneof(
    fc.constant(null),
    fc.integer(),
    fc.string(),
    fc.constant([]),
    fc.constant({}),
    fc.boolean(),
  );
  fc.assert(
    fc.property(fc.nat(said.length - 1), fc.nat(12), junk, (index, place, value) => {
      const spoilt = said.map(([type, payload], position) =>
        binaryEvent(type, position === index ? withJunk(payload, place, value) : payload),
      );
      read(spoilt);
    }),
    { numRuns: 600 },
  );
});
