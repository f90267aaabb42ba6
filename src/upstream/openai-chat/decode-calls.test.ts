import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatChunk } from '../../../test/fake-upstream/chat-stream.ts';
import { decodeStream, joinPieces } from '../../../test/support/adapter-harness.ts';
import { assertGrowsEvenly } from '../../../test/support/assert-grows-evenly.ts';
import type { Delta } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import { openaiChatAdapter as adapter } from './openai-chat-adapter.ts';

interface Fragment {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly name?: string;
  readonly args?: unknown;
}

function chunkOf(...fragments: Fragment[]): string {
  const tool_calls = fragments.map(({ index, id, name, args }) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
  return chatChunk({ tool_calls });
}

function decode(chunks: readonly string[], finish = 'tool_calls'): Delta[] {
  const stream = [...chunks, chatChunk({}, finish)].join('');
  return joinPieces(decodeStream(adapter, stream)).slice(1);
}

function call(block: number, name: string, callId?: string, text?: string, form = 'function'): object[] {
  const open =
    callId === undefined ? { kind: 'call', block, form, name } : { kind: 'call', block, form, name, callId };
  return text === undefined ? [open] : [open, { kind: 'arguments', block, text }];
}

const finish = { kind: 'finish', reason: 'tool_calls', native: 'tool_calls' };
const two = [...call(2, 'look', 'a', '{"x":1}'), ...call(3, 'look', 'b', '{"x":2}'), finish];

const forms: readonly (readonly [string, readonly string[], (readonly object[])?])[] = [
  [
    'id and name in the first fragment only',
    [
      chunkOf({ index: 0, id: 'a', name: 'look', args: '' }),
      chunkOf({ index: 0, args: '{"x"' }),
      chunkOf({ index: 0, args: ':1}' }),
      chunkOf({ index: 1, id: 'b', name: 'look', args: '{"x":2}' }),
    ],
  ],
  [
    'id and name repeated',
    [
      chunkOf({ index: 0, id: 'a', name: 'look', args: '{"x"' }),
      chunkOf({ index: 0, id: 'a', name: 'look', args: ':1}' }),
      chunkOf({ index: 1, id: 'b', name: 'look', args: '{"x"' }),
      chunkOf({ index: 1, id: 'b', name: 'look', args: ':2}' }),
    ],
  ],
  [
    'whole calls in one chunk',
    [
      chunkOf(
        { index: 0, id: 'a', name: 'look', args: '{"x":1}' },
        { index: 1, id: 'b', name: 'look', args: '{"x":2}' },
      ),
    ],
  ],
  [
    'no numbers',
    [
      chunkOf({ id: 'a', name: 'look', args: '{"x"' }),
      chunkOf({ args: ':1}' }),
      chunkOf({ index: null, id: 'b', name: 'look', args: '{"x":2}' }),
    ],
  ],
  [
    'the same number for all',
    [
      chunkOf({ index: 0, id: 'a', name: 'look', args: '{"x":1}' }),
      chunkOf({ index: 0, id: 'b', name: 'look', args: '{"x":2}' }),
    ],
  ],
  [
    'a new id with each fragment',
    [
      chunkOf({ index: 0, id: 'a', name: 'look', args: '{"x"' }),
      chunkOf({ index: 0, id: 'a2', args: ':1}' }),
      chunkOf({ index: 1, id: 'b', name: 'look', args: '{"x":2}' }),
    ],
  ],
  [
    'arguments as an object',
    [
      chunkOf({ index: 0, id: 'a', name: 'look', args: { x: 1 } }),
      chunkOf({ index: 1, id: 'b', name: 'look', args: { x: 2 } }),
    ],
  ],
  [
    'the same number for all, no id, and the name before the arguments',
    [
      chunkOf({ index: 0, name: 'look', args: '{"x":1}' }),
      chunkOf({ index: 0, name: 'listen', args: '' }),
      chunkOf({ index: 0, args: '{"x":2}' }),
    ],
    [...call(2, 'look', undefined, '{"x":1}'), ...call(3, 'listen', undefined, '{"x":2}'), finish],
  ],
  [
    'arguments before the name',
    [
      chunkOf({ index: 0, id: 'a', args: '{"x"' }),
      chunkOf({ index: 0, name: 'look', args: ':1}' }),
      chunkOf({ index: 1, id: 'b', name: 'look', args: '{"x":2}' }),
    ],
  ],
];

for (const [name, chunks, expected = two] of forms) {
  test(`two calls, with ${name}`, () => assert.deepEqual(decode(chunks), expected));
}

test('calls without number and id are distinguished by their arguments', () => {
  const chunks = [
    chunkOf({ name: 'look', args: '{"x"' }),
    chunkOf({ name: 'look', args: ':1}' }),
    chunkOf({ name: 'look', args: '{"x":2}' }),
    chunkOf({ name: 'other' }),
  ];
  assert.deepEqual(decode(chunks), [
    ...call(2, 'look', undefined, '{"x":1}'),
    ...call(3, 'look', undefined, '{"x":2}'),
    ...call(4, 'other'),
    finish,
  ]);
});

test('the older way of a single function call', () => {
  const chunks = [
    chatChunk({ function_call: { name: 'look', arguments: '' } }),
    chatChunk({ function_call: { arguments: '{"x":1}' } }),
  ];
  assert.deepEqual(decode(chunks, 'function_call'), [
    ...call(2, 'look', undefined, '{"x":1}'),
    { ...finish, native: 'function_call' },
  ]);
});

test('a stop after calls is the end of a turn of calls, a length stays one', () => {
  const chunks = [chunkOf({ index: 0, id: 'a', name: 'look', args: '{}' })];
  assert.deepEqual(decode(chunks, 'stop').at(-1), { kind: 'finish', reason: 'tool_calls', native: 'stop' });
  assert.deepEqual(decode(chunks, 'length').at(-1), { kind: 'finish', reason: 'length', native: 'length' });
});

test('a call without a name is an invalid answer', () => {
  assert.throws(
    () => decode([chunkOf({ index: 0, id: 'a', args: '{}' })]),
    (error) => error instanceof HeadgateError && error.code === 'provider_failed',
  );
});

test('two calls of one id are two calls, and the later one has none of its own', () => {
  const whole = (args: string) => ({ id: 'a', name: 'look', args });
  const expected = [...call(2, 'look', 'a', '{"x":1}'), ...call(3, 'look', undefined, '{"x":2}'), finish];
  const [first, second] = [whole('{"x":1}'), whole('{"x":2}')];
  const numbered = [chunkOf({ index: 0, ...first }), chunkOf({ index: 1, ...second })];
  assert.deepEqual(decode(numbered), expected);
  assert.deepEqual(decode([chunkOf(first), chunkOf(second)]), expected);
  assert.deepEqual(decode([chunkOf({ index: 0, ...first }), chunkOf({ index: 0, ...second })]), expected);
});

test('a name repeated after the arguments are whole, with nothing new, is no other call', () => {
  const chunks = [
    chunkOf({ index: 0, id: 'a', name: 'look', args: '{"x":1}' }),
    chunkOf({ index: 0, id: 'a', name: 'look', args: '' }),
    chunkOf({ index: 0, id: 'a', name: 'look', args: '\n' }),
  ];
  assert.deepEqual(decode(chunks), [...call(2, 'look', 'a', '{"x":1}\n'), finish]);
});

test('a call of a tool with free-text input passes as it is', () => {
  const chunk = (part: object) => chatChunk({ tool_calls: [{ index: 0, ...part }] });
  const chunks = [
    chunk({ id: 'a', type: 'custom', custom: { name: 'run', input: '{"input":' } }),
    chunk({ custom: { input: '1}' } }),
  ];
  assert.deepEqual(decode(chunks), [...call(2, 'run', 'a', '{"input":1}', 'custom'), finish]);
});

test('a name repeated with each of many fragments does not stop the process', () => {
  assertGrowsEvenly(40_000, (length) => {
    const pieces = Array.from({ length }, (_, index) => `${index === 0 ? '{' : ','}"k${index}":{}`);
    const fragments = pieces.map((args) => ({ index: 0, id: 'c', name: 'look', args }));
    const deltas = decode(fragments.map((fragment) => chunkOf(fragment)));
    assert.deepEqual(deltas, [...call(2, 'look', 'c', pieces.join('')), finish]);
  });
});

test('forty thousand calls do not stop the process', () => {
  assertGrowsEvenly(40_000, (length) => {
    const calls = Array.from({ length }, (_, index) => ({
      index,
      id: `c${index}`,
      name: 'look',
      args: '{}',
    }));
    const begun = decode([chunkOf(...calls)]).filter(({ kind }) => kind === 'call');
    assert.equal(begun.length, length);
  });
});

test('arguments as an object keep every digit', () => {
  const chunk = chunkOf({ index: 0, id: 'c', name: 'book', args: { id: 'DIGITS' } });
  for (const spaced of [chunk, chunk.replace('"arguments":', '"arguments": ')]) {
    const [, told] = decode([spaced.replace('"DIGITS"', '12345678901234567890')]);
    assert.deepEqual(told, { kind: 'arguments', block: 2, text: '{"id":12345678901234567890}' });
  }
});
