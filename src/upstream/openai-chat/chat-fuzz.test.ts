import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dataEvent } from '../../../test/fake-upstream/chat-stream.ts';
import { decodeStream } from '../../../test/support/adapter-harness.ts';
import type { Delta } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { JsonObject } from '../../util/json.ts';
import { openaiChatAdapter as adapter } from './openai-chat-adapter.ts';

const choice = (delta: JsonObject, rest: JsonObject = {}) => ({
  id: 'c',
  choices: [{ index: 0, delta, ...rest }],
});
const call = (index: number, id: string, args: string) => ({
  tool_calls: [{ index, id, type: 'function', function: { name: 'look', arguments: args } }],
});
const token = {
  token: 'a',
  logprob: -1,
  bytes: [97],
  top_logprobs: [{ token: 'b', logprob: -2, bytes: [98] }],
};

/** A bit of everything a stream can bring. */
const chunks: readonly JsonObject[] = [
  choice({ role: 'assistant', content: '' }),
  choice({ reasoning_content: 'hm' }),
  choice({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'blob', format: 'x' }] }),
  choice({ content: 'Good ' }, { logprobs: { content: [token] } }),
  choice({ content: [{ type: 'text', text: 'day.' }] }),
  choice({ content: '<think>x</think>' }),
  choice({ refusal: 'No.' }),
  choice({
    annotations: [{ type: 'url_citation', url_citation: { url: 'https://example.com', title: 't' } }],
  }),
  choice({ images: [{ image_url: { url: 'data:image/png;base64,UE5H' } }] }),
  choice(call(0, 'a', '{"x"')),
  choice(call(0, 'a', ':1}')),
  choice(call(1, 'b', '{}')),
  { ...choice({}), citations: ['https://example.com'], service_tier: 'flex' },
  choice({}, { finish_reason: 'tool_calls' }),
  { id: 'c', choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
];

/** Deltas, or the clean error instead of them. */
function read(stream: string, quirks: object): Delta[] | HeadgateError {
  try {
    return decodeStream(adapter, stream, { provider: { quirks: { ...quirks } } });
  } catch (thrown) {
    if (thrown instanceof HeadgateError) return thrown;
    throw thrown;
  }
}

/** What any consumer relies on, whatever a provider sent. */
function checkLegal(read: Delta[] | HeadgateError): void {
  if (read instanceof HeadgateError) return;
  assert.equal(read.filter(({ kind }) => kind === 'finish').length, 1);
  assert.equal(read.at(-1)?.kind, 'finish');
  const begun = new Set<number>();
  for (const delta of read) {
    if (delta.kind === 'call' || delta.kind === 'hosted') {
      assert.ok(!begun.has(delta.block), 'a block begins once');
      begun.add(delta.block);
    }
    if (delta.kind === 'arguments' || delta.kind === 'result') assert.ok(begun.has(delta.block));
    if ('text' in delta) assert.ok(typeof delta.text === 'string' && delta.text !== '');
    if (delta.kind !== 'text') continue;
    for (const { logprob, bytes } of delta.logprobs ?? []) {
      assert.ok(typeof logprob === 'number' && bytes.every((byte) => typeof byte === 'number'));
    }
  }
}

const quirks = fc.record({ thinkTags: fc.boolean() });
const order = fc.array(fc.nat({ max: chunks.length - 1 }), { maxLength: 30 });

test('events left out, repeated and in any order are a legal stream or a clean error', () => {
  fc.assert(
    fc.property(order, quirks, fc.boolean(), (places, quirk, done) => {
      const events = places.map((place) => dataEvent(chunks[place]));
      checkLegal(read([...events, done ? 'data: [DONE]\n\n' : ''].join(''), quirk));
    }),
    { numRuns: 500 },
  );
});

/** Puts a value in place of one member somewhere inside. */
function spoil(value: unknown, path: readonly number[], put: unknown): unknown {
  const [step = 0, ...rest] = path;
  if (Array.isArray(value) && value.length > 0) {
    const at = step % value.length;
    return value.map((entry, place) => (place === at ? spoil(entry, rest, put) : entry));
  }
  if (typeof value !== 'object' || value === null || path.length === 0) return put;
  const names = Object.keys(value);
  const name = names[step % Math.max(names.length, 1)];
  const members = value as JsonObject;
  return name === undefined ? put : { ...members, [name]: spoil(members[name], rest, put) };
}

test('a member of any type anywhere is read past or a clean error', () => {
  const path = fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(
      fc.nat({ max: chunks.length - 1 }),
      path,
      fc.jsonValue({ maxDepth: 2 }),
      quirks,
      (at, way, put, quirk) => {
        const spoiled = chunks.map((chunk, place) => (place === at ? spoil(chunk, way, put) : chunk));
        checkLegal(read([...spoiled.map(dataEvent), 'data: [DONE]\n\n'].join(''), quirk));
      },
    ),
    { numRuns: 2000 },
  );
});

test('a stream cut off anywhere, or with bytes that are no text, is a legal stream or a clean error', () => {
  const whole = Buffer.from(chunks.map(dataEvent).join(''));
  fc.assert(
    fc.property(
      fc.nat({ max: whole.length }),
      fc.uint8Array({ maxLength: 4 }),
      quirks,
      (at, noise, quirk) => {
        const bytes = Buffer.concat([whole.subarray(0, at), noise, whole.subarray(at + noise.length)]);
        checkLegal(read(bytes.toString(), quirk));
        checkLegal(read(whole.subarray(0, at).toString(), quirk));
      },
    ),
    { numRuns: 300 },
  );
});
