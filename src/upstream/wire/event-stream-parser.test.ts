import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { HeadgateError } from '../../core/errors.ts';
import type { ServerSentEvent } from '../adapter.ts';
import { EventStreamParser } from './event-stream-parser.ts';

function parse(chunks: readonly Buffer[]): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const parser = new EventStreamParser((event) => events.push(event), 2 ** 25);
  for (const chunk of chunks) parser.push([chunk]);
  parser.end();
  return events;
}

/** The same, when all pieces arrive in one turn. */
function parseTogether(chunks: readonly Buffer[]): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const parser = new EventStreamParser((event) => events.push(event), 2 ** 25);
  parser.push(chunks);
  parser.end();
  return events;
}

/** What a library of other people's makes of a text. */
function reference(text: string): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => events.push({ event, data }) });
  parser.feed(text);
  parser.feed('\n\n');
  return events;
}

function cut(bytes: Buffer, ...positions: number[]): Buffer[] {
  const edges = [0, ...positions, bytes.length];
  return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
}

const lines = [
  '\uFEFFdata: {"text":"Grüße 漢字 😀👩‍👩‍👧"}',
  '',
  ': a comment, as keep-alive',
  '',
  'event: ping',
  'data: one',
  'data:two',
  'data:  three',
  '',
  'id: 7',
  'retry: 10',
  'unknown field',
  'data',
  '',
  'data:[DONE]',
  '',
];

const expected: ServerSentEvent[] = [
  { event: undefined, data: '{"text":"Grüße 漢字 😀👩‍👩‍👧"}' },
  { event: 'ping', data: 'one\ntwo\n three' },
  { event: undefined, data: '' },
  { event: undefined, data: '[DONE]' },
];

for (const [name, lineEnd] of [
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
] as const) {
  const bytes = Buffer.from(lines.join(lineEnd) + lineEnd);

  test(`events are the same wherever a stream with ${name} is cut`, () => {
    assert.deepEqual(parse([bytes]), expected);
    assert.deepEqual(parse([...bytes].map((byte) => Buffer.of(byte))), expected);
    for (let position = 0; position <= bytes.length; position++) {
      assert.deepEqual(parse(cut(bytes, position)), expected, `cut at byte ${position}`);
      assert.deepEqual(parseTogether(cut(bytes, position)), expected, `joined at byte ${position}`);
    }
  });

  test(`a last event counts without its blank line, with ${name}`, () => {
    for (const missing of [1, 2].map((count) => lineEnd.length * count)) {
      assert.deepEqual(parse([bytes.subarray(0, bytes.length - missing)]), expected);
    }
  });
}

test('any bytes, cut anywhere, give the same events', () => {
  const telling = fc.constantFrom(...Buffer.from('data: x\r\n\n:e\xff\xc3\xa4\xf0\x9f\x98\x80', 'latin1'));
  fc.assert(
    fc.property(fc.array(telling, { maxLength: 60 }), fc.array(fc.nat(60), { maxLength: 4 }), (raw, cuts) => {
      const bytes = Buffer.from([...Buffer.from('data: '), ...raw]);
      const positions = cuts.map((place) => Math.min(place, bytes.length)).sort((a, b) => a - b);
      assert.deepEqual(parse(cut(bytes, ...positions)), parse([bytes]));
      assert.deepEqual(parseTogether(cut(bytes, ...positions)), parse([bytes]));
    }),
  );
});

test('any lines give the events that a library reads', () => {
  const piece = fc.constantFrom(
    'data',
    'data:',
    'data: x',
    'event: y',
    'event:',
    ':',
    ' z',
    'id: 1',
    'dat',
    'é😀',
  );
  const text = fc.array(fc.tuple(piece, fc.constantFrom('\n', '\n\n', '\r\n', '\r', '')), { maxLength: 20 });
  fc.assert(
    fc.property(text, (lines) => {
      const whole = lines.flat().join('');
      assert.deepEqual(parse([Buffer.from(whole)]), reference(whole));
    }),
    { numRuns: 2_000 },
  );
});

test('pieces that are more than are joined at once lose nothing', () => {
  const text = 'data: '.concat('ä'.repeat(50_000), '\n\n');
  const bytes = Buffer.from(text + text + text);
  const small = Array.from({ length: Math.ceil(bytes.length / 999) }, (_, at) =>
    bytes.subarray(at * 999, (at + 1) * 999),
  );
  const wanted = Array.from({ length: 3 }, () => ({ event: undefined, data: 'ä'.repeat(50_000) }));
  assert.deepEqual(parseTogether(small), wanted);
  assert.deepEqual(parseTogether([bytes.subarray(0, 7), bytes.subarray(7)]), wanted);
});

test('an empty stream has no events', () => {
  assert.deepEqual(parse([]), []);
  assert.deepEqual(parse([Buffer.from('\uFEFF')]), []);
});

test('an endless event is refused instead of kept', () => {
  const parser = new EventStreamParser(() => undefined, 32 * 1024 * 1024);
  const piece = Buffer.alloc(4 * 1024 * 1024, 'a');
  assert.throws(
    () => {
      for (let count = 0; count < 16; count++) parser.push([piece]);
    },
    (error) => error instanceof HeadgateError && error.code === 'provider_endless',
  );
});
