import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { binaryEvent, binaryException, binaryMessage } from '../../../test/support/binary-message.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { ServerSentEvent } from '../adapter.ts';
import { MessageParser } from './message-parser.ts';

function parse(chunks: readonly Buffer[]): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const parser = new MessageParser((event) => events.push(event), 2 ** 25);
  for (const chunk of chunks) parser.push([chunk]);
  parser.end();
  return events;
}

function failure(read: () => unknown): HeadgateError {
  try {
    read();
  } catch (thrown) {
    assert.ok(thrown instanceof HeadgateError);
    return thrown;
  }
  return assert.fail('nothing was thrown');
}

const stream = Buffer.concat([
  binaryEvent('messageStart', { role: 'assistant' }),
  binaryEvent('contentBlockDelta', { delta: { text: 'Grüße 漢字 👩‍👩‍👧' }, contentBlockIndex: 0 }),
  binaryMessage({ ':message-type': 'event', ':event-type': 'empty' }, ''),
  binaryException('throttlingException', { message: 'Slow down' }),
  binaryMessage(
    { ':message-type': 'error', ':error-code': 'InternalFailure', ':error-message': 'Broken' },
    '',
  ),
]);

const events: ServerSentEvent[] = [
  { event: 'messageStart', data: '{"role":"assistant"}' },
  {
    event: 'contentBlockDelta',
    data: '{"delta":{"text":"Grüße 漢字 👩‍👩‍👧"},"contentBlockIndex":0}',
  },
  { event: 'empty', data: '' },
  { event: 'throttlingException', data: '{"message":"Slow down"}' },
  { event: 'error', data: '{"code":"InternalFailure","message":"Broken"}' },
];

test('messages become events, whatever bytes arrive together', () => {
  assert.deepEqual(parse([stream]), events);
  for (let cut = 1; cut < stream.length; cut++) {
    assert.deepEqual(parse([stream.subarray(0, cut), stream.subarray(cut)]), events);
  }
  assert.deepEqual(parse(Array.from(stream, (byte) => Buffer.of(byte))), events);
});

test('a flipped bit anywhere is found', () => {
  const message = binaryEvent('messageStop', { stopReason: 'end_turn' });
  fc.assert(
    fc.property(fc.nat(message.length - 1), fc.nat(7), (at, bit) => {
      const bytes = Buffer.from(message);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
      assert.equal(failure(() => parse([bytes])).code, 'provider_failed');
    }),
  );
});

test('arbitrary bytes are events or a failed provider', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      if (bytes.length > 0) assert.equal(failure(() => parse([Buffer.from(bytes)])).code, 'provider_failed');
    }),
  );
});

test('an implausible length is not waited for', () => {
  const prelude = binaryMessage({}, Buffer.alloc(0));
  prelude.writeUInt32BE(0x7fffffff, 0);
  assert.equal(failure(() => parse([prelude])).message, 'The provider sent a damaged event.');
  const long = binaryMessage({ ':event-type': 'huge' }, Buffer.alloc(33 * 1024 * 1024));
  const parser = new MessageParser(() => undefined, 32 * 1024 * 1024);
  assert.equal(
    failure(() => parser.push([long.subarray(0, 12)])).message,
    'The provider sent more than 33554432 bytes in one event.',
  );
});

test('a message of many pieces is put together once', () => {
  const message = binaryEvent('big', { text: 'x'.repeat(4 * 1024 * 1024) });
  const pieces = Array.from({ length: Math.ceil(message.length / 512) }, (_, index) =>
    message.subarray(index * 512, index * 512 + 512),
  );
  assert.equal(parse(pieces)[0]?.data.length, 4 * 1024 * 1024 + '{"text":""}'.length);
});

test('an end inside a message is damage', () => {
  assert.equal(failure(() => parse([stream.subarray(0, -1)])).code, 'provider_failed');
  assert.deepEqual(parse([]), []);
});
