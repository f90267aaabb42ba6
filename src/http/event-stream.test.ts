import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { EventStreamWriter, eventStreamHeaders } from './event-stream.ts';

/** All bytes a server sends that writes these texts as a stream, to a request of this version. */
async function sent(texts: readonly string[], version: string, closes = true): Promise<Buffer> {
  const server = createServer(async (_request, response) => {
    const writer = new EventStreamWriter(
      response,
      eventStreamHeaders,
      {
        keepAlive: 60_000,
        sendTimeout: 60_000,
        closes,
      },
      () => ': here\n\n',
    );
    for (const text of texts.slice(0, -1)) {
      await writer.write(text);
      // So that each is a write of its own.
      await new Promise(setImmediate);
    }
    writer.end(texts.at(-1) ?? '');
    // The connection is the next answer's by now.
    await writer.write('data: late\n\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  const socket = connect(address.port, '127.0.0.1');
  socket.write(`GET / HTTP/${version}\r\nhost: a\r\n\r\n`);
  const parts: Buffer[] = await socket.toArray();
  server.close();
  return Buffer.concat(parts);
}

/** Takes a chunked body apart. */
function readChunks(body: Buffer): string[] {
  const chunks: string[] = [];
  for (let at = 0; ; ) {
    const head = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.toString('latin1', at, head), 16);
    const end = head + 2 + length;
    assert.equal(body.toString('latin1', end, end + 2), '\r\n');
    if (length === 0) {
      assert.equal(end + 2, body.length, 'nothing follows the last chunk');
      return chunks;
    }
    chunks.push(body.toString('utf8', head + 2, end));
    at = end + 2;
  }
}

const texts = [
  'data: plain\n\n',
  'data: Grüße, 漢字 😀\n\n',
  `data: ${'ü'.repeat(20_000)}\n\n`,
  'data: [DONE]\n\n',
];

test('each write is one chunk of as many bytes as it says, whatever its characters', async () => {
  const bytes = await sent(texts, '1.1');
  const body = bytes.indexOf('\r\n\r\n') + 4;
  const head = bytes.toString('latin1', 0, body);
  assert.match(head, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(head, /\r\ntransfer-encoding: chunked\r\n/i);
  assert.match(head, /\r\nconnection: close\r\n/i);
  assert.deepEqual(readChunks(bytes.subarray(body)), texts);
});

test('a stream that ends without more words has one last chunk', async () => {
  const bytes = await sent([...texts, ''], '1.1');
  assert.deepEqual(readChunks(bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)), texts);
});

test('a client of HTTP/1.0 gets the events without chunks, until the connection ends', async () => {
  const bytes = await sent(texts, '1.0');
  const body = bytes.indexOf('\r\n\r\n') + 4;
  assert.doesNotMatch(bytes.toString('latin1', 0, body), /transfer-encoding/i);
  assert.equal(bytes.toString('utf8', body), texts.join(''));
});
