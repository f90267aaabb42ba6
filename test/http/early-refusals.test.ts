import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const megabyte = 1024 * 1024;
/** What this machine may keep for a connection besides what the server has read. */
const systemBuffers = 16 * megabyte;

let gateway: TestGateway;

before(async () => {
  gateway = await startGateway({ models: [], server: { bodyLimit: 1024 } });
});

after(() => gateway.stop());

const open = () => connect(Number(new URL(gateway.url).port), '127.0.0.1');
const headOf = (line: string, key: string, framing: string) =>
  `${[line, 'Host: a', `Authorization: Bearer ${key}`, framing].join('\r\n')}\r\n\r\n`;
const post = 'POST /api/v1/responses HTTP/1.1';
const chunkOf = (length: number) => `${length.toString(16)}\r\n${'a'.repeat(length)}\r\n`;

/** Sends a whole body before it reads anything, as Python's client does, then a second request. */
async function sendAll(head: string, body: string): Promise<string> {
  const socket = open();
  socket.write(head + body);
  socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  return Buffer.concat(await socket.toArray()).toString();
}

test('a client that is refused before its body has come sends the rest of a short one, reads why, and goes on', async () => {
  const length = megabyte - 1024;
  const announced = `Content-Length: ${length}`;
  const body = 'a'.repeat(length);
  const chunked = 'Transfer-Encoding: chunked';
  const chunks = `${chunkOf(length / 4).repeat(2)}0\r\n\r\n`;
  for (const [status, answer] of [
    [413, await sendAll(headOf(post, gateway.key, announced), body)],
    [413, await sendAll(headOf(post, gateway.key, chunked), chunks)],
    [401, await sendAll(headOf(post, 'sk-hg-v1-unknown', announced), body)],
    [401, await sendAll(headOf(post, 'sk-hg-v1-unknown', chunked), chunks)],
    [404, await sendAll(headOf('POST /nothing HTTP/1.1', '', announced), body)],
    [404, await sendAll(headOf('POST /nothing HTTP/1.1', '', chunked), chunks)],
    [200, await sendAll(headOf('GET /health/live HTTP/1.1', '', announced), body)],
    [200, await sendAll(headOf('GET /health/live HTTP/1.1', '', chunked), chunks)],
  ] as const) {
    assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), [`HTTP/1.1 ${status}`, 'HTTP/1.1 200']);
  }
});

/** Sends a body without end until the connection ends. Resolves with the bytes that were sent and what was answered. */
async function sendForever(
  socket: Socket,
  head: string,
  piece: string,
): Promise<{ sent: number; answer: string }> {
  let answer = '';
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket
    .on('error', () => undefined)
    .on('data', (data) => {
      answer += data;
    });
  socket.write(head);
  while (!socket.destroyed) {
    await Promise.race([new Promise<void>((resolve) => socket.write(piece, () => resolve())), closed]);
  }
  return { sent: socket.bytesWritten, answer };
}

test('of a refused body without end a little is read, then its connection ends', async () => {
  const large = chunkOf(megabyte);
  for (const [head, piece, status] of [
    [headOf(post, gateway.key, 'Content-Length: 10000000000'), 'a'.repeat(megabyte), 413],
    [headOf(post, gateway.key, 'Transfer-Encoding: chunked'), large, 413],
    [headOf(post, 'sk-hg-v1-unknown', 'Transfer-Encoding: chunked'), large, 401],
    [headOf('GET /health/live HTTP/1.1', '', 'Transfer-Encoding: chunked'), large, 200],
    [headOf(post, 'sk-hg-v1-unknown', 'Transfer-Encoding: chunked'), '1\r\na\r\n'.repeat(10_000), 401],
  ] as const) {
    const { sent, answer } = await sendForever(open(), head, piece);
    assert.ok(sent < systemBuffers, `${status}: ${sent} bytes were sent`);
    // What was sent too much can cost a client the answer.
    assert.ok(answer === '' || answer.startsWith(`HTTP/1.1 ${status} `), answer.slice(0, 100));
  }
});

test('a client that waits for 100 Continue is refused without its body', async () => {
  const socket = open();
  socket.write(headOf(post, 'sk-hg-v1-unknown', 'Content-Length: 5000\r\nExpect: 100-continue'));
  const answer = Buffer.concat(await socket.toArray()).toString();
  assert.match(answer, /^HTTP\/1\.1 401 /);
  assert.match(answer, /\r\nconnection: close\r\n/i);
});
